#include "serve/dashboard.h"

#include <array>
#include <condition_variable>
#include <string_view>

#include <fmt/format.h>

#include "base/files.h"
#include "base/low_priority.h"
#include "base/thread.h"
#include "locale/message_error.h"
#include "locale/messages/charts.h"
#include "locale/messages/run_report.h"
#include "locale/messages/training.h"
#include "page/html.h"
#include "report/run_html.h"
#include "report/run_json.h"
#include "report/run_sections.h"
#include "web/resources.h"

namespace qanat {
namespace {

struct Resource {
  std::string_view path;
  std::string_view content_type;
  std::string_view text;
};
constexpr std::array kResources{Resource{"/page.css", "text/css; charset=utf-8", kPageCss},
                                Resource{"/report.css", "text/css; charset=utf-8", kReportCss},
                                Resource{"/report.js", "text/javascript; charset=utf-8", kReportJs},
                                Resource{"/live.js", "text/javascript; charset=utf-8", kLiveJs}};

HttpResponse json_response(const nlohmann::ordered_json& json) {
  return {.content_type = "application/json",
          .body = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n'};
}

constexpr std::string_view kRenders = "/renders/";
constexpr Bytes kMaxRenderFile = mebibytes(64);

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "step-000001000/sentence-1.wav", or a recording beside it: nothing else is a file that pages ask
// for.
std::string_view render_type(std::string_view file) {
  if (is_recording_name(file)) {
    return "audio/wav";
  }
  constexpr std::string_view kStep = "step-";
  constexpr std::string_view kSentence = "sentence-";
  const std::size_t slash = file.find('/');
  if (slash == std::string_view::npos || !file.starts_with(kStep) || file.size() < slash + 5) {
    return {};
  }
  const std::string_view name = file.substr(slash + 1, file.size() - slash - 5);
  const std::string_view ending = file.substr(file.size() - 4);
  if (!is_number(file.substr(kStep.size(), slash - kStep.size())) || !name.starts_with(kSentence) ||
      !is_number(name.substr(kSentence.size()))) {
    return {};
  }
  return ending == ".wav" ? "audio/wav" : ending == ".png" ? "image/png" : std::string_view();
}

std::string problem_html(const Message& problem, const Translator& w) {
  return fmt::format("<p class=\"verdict warning\" role=\"alert\">{}</p>\n",
                     html_escaped(w.tr(problem)));
}

}  // namespace

Dashboard::Dashboard(const DashboardOptions& options) : options_(options), watch_(options.journal) {
  if (!is_loopback(options_.address) && options_.token.empty()) {
    throw MessageError(msg::dashboard_needs_token{.address = options_.address});
  }
  server_ =
      std::make_unique<HttpServer>(HttpServerOptions{.address = options_.address,
                                                     .port = options_.port,
                                                     .most_clients = options_.most_clients},
                                   [this](const HttpRequest& request) { return respond(request); });
  thread_ = start_thread("dashboard", [this](const std::stop_token& stop) { look(stop); });
}

std::string Dashboard::url() const {
  const bool is_v6 = options_.address.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/{}{}",
                     is_v6 ? "[" : "",
                     options_.address,
                     is_v6 ? "]" : "",
                     port(),
                     options_.token.empty() ? "" : "?token=",
                     options_.token);
}

HttpResponse Dashboard::respond(const HttpRequest& request) {
  const AccessRules rules{
      .address = options_.address, .port = request.port, .token = options_.token};
  if (const auto status = check_access(request, rules)) {
    return refuse(*status);
  }
  for (const Resource& resource : kResources) {
    if (request.path == resource.path) {
      return {.content_type = std::string(resource.content_type),
              .body = std::string(resource.text)};
    }
  }
  if (request.path == "/") {
    return page(request);
  }
  if (request.path == "/events") {
    return {.content_type = "text/event-stream", .body = "retry: 2000\n\n", .is_stream = true};
  }
  if (request.path.starts_with(kRenders)) {
    return render_file(request.path);
  }
  if (request.path == "/healthz") {
    return {.body = "ok\n"};
  }
  const std::lock_guard lock(mutex_);
  while (!has_looked_) {  // or the first scrape would see an empty run, and counters would jump
    (void)read_on();
  }
  if (request.path == "/metrics" && options_.metrics) {
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = options_.metrics(watch_.snapshot(), watch_.diagnosis())};
  }
  if (request.path == "/report.json") {
    return json_response(to_json(watch_.diagnosis()));
  }
  return refuse(404);
}

HttpResponse Dashboard::render_file(const std::string& path) const {
  const std::string file = path.substr(kRenders.size());
  const std::string_view type = render_type(file);
  if (type.empty()) {
    return refuse(404);
  }
  Result<std::string> bytes =
      read_text_file(options_.journal.parent_path() / "renders" / file, kMaxRenderFile);
  return bytes ? HttpResponse{.content_type = std::string(type), .body = std::move(bytes).value()}
               : refuse(404);
}

// Only the frame: what it shows comes over the stream. A policy in the headers allows our own
// resources and nothing else.
HttpResponse Dashboard::page(const HttpRequest& request) const {
  const Translator& w = options_.words;
  const std::string query =
      request.query.empty() ? std::string() : fmt::format("?{}", html_escaped(request.query));
  return {.content_type = "text/html; charset=utf-8",
          .body = fmt::format(
              "<!doctype html>\n<html lang=\"{}\" dir=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n"
              "<link rel=\"stylesheet\" href=\"page.css{}\">\n"
              "<link rel=\"stylesheet\" href=\"report.css{}\">\n"
              "<script type=\"module\" src=\"report.js{}\"></script>\n"
              "<script type=\"module\" src=\"live.js{}\"></script>\n</head>\n<body>\n"
              "<header>\n<div><h1><bdi id=\"title\">{}</bdi></h1>\n"
              "<p class=\"subtitle\" id=\"subtitle\">"
              "</p></div>\n<div class=\"tools\">"
              "<p id=\"connection\" role=\"status\" data-on=\"{}\" data-off=\"{}\" "
              "data-ended=\"{}\">{}</p>\n"
              "<button type=\"button\" id=\"theme\" "
              "data-light=\"{}\" data-dark=\"{}\"></button></div>\n</header>\n"
              "<nav aria-label=\"{}\"></nav>\n<main></main>\n</body>\n</html>\n",
              to_string(w.language()),
              w.right_to_left() ? "rtl" : "ltr",
              html_escaped(w.tr(msg::page_training_run{})),
              query,
              query,
              query,
              query,
              html_escaped(w.tr(msg::page_training_run{})),
              html_escaped(w.tr(msg::page_live{})),
              html_escaped(w.tr(msg::page_connection_lost{})),
              html_escaped(w.tr(msg::page_run_ended{})),
              html_escaped(w.tr(msg::page_waiting{})),
              html_escaped(w.tr(msg::page_light{})),
              html_escaped(w.tr(msg::page_dark{})),
              html_escaped(w.tr(msg::page_sections{})))};
}

void Dashboard::look(const std::stop_token& stop) {
  lower_priority();
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    update();
    (void)stopped.wait_for(lock, stop, options_.pause, [] { return false; });
  }
  update();  // the run may have ended since
}

// Whether there is more at once; with the lock held. A journal that is not there yet will come.
bool Dashboard::read_on() {
  const auto progress = watch_.update();
  const bool more = progress && progress.value().more;
  has_looked_ = has_looked_ || !more;
  return more;
}

// Figures are drawn only while a page is open.
void Dashboard::update() {
  std::string event;
  for (bool more = true; more;) {
    const std::lock_guard lock(mutex_);
    more = read_on();
  }
  if (server_->num_streams() > 0) {
    const std::lock_guard lock(mutex_);
    event = sections_event();
  }
  if (!event.empty()) {
    server_->publish(std::make_shared<const std::string>(std::move(event)));
  }
}

std::string Dashboard::sections_event() {
  const Diagnosis& diagnosis = watch_.diagnosis();
  const RunRecord& record = watch_.record();
  const RunView view{
      .summary = record.summary,
      .history = record.history,
      .diagnosis = diagnosis,
      .words = options_.words,
      .files =
          RunFiles{.prefix = "",
                   .query = options_.token.empty() ? std::string() : "?token=" + options_.token}};
  std::vector<PageSection> sections = run_sections(view);
  std::erase_if(sections, [](const PageSection& one) { return one.id == "summary"; });
  if (const Message problem = watch_.problem()) {
    sections.insert(sections.begin(), {"problem", "", problem_html(problem, options_.words)});
  }
  nlohmann::ordered_json data{{"title", run_title(record.history, options_.words)},
                              {"subtitle", run_subtitle(record.history, options_.words)},
                              {"navigation", navigation_html(sections)},
                              {"now", to_json(watch_.snapshot(), diagnosis)},
                              {"sections", nlohmann::ordered_json::array()}};
  data["sections"].push_back({{"id", "now"}, {"html", now_html(watch_.snapshot(), view)}});
  for (const PageSection& section : sections) {
    data["sections"].push_back({{"id", section.id}, {"html", render_section(section)}});
  }
  return fmt::format("data: {}\n\n",
                     data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace qanat
