#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "doctor/doctor_testing.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class DataDoctorTest : public DoctorTest {
 protected:
  DataDoctorTest() {
    add_usual_but(0);
    FakeSpeech how = usual(0);
    how.silence = 1.5;
    add(0, fake_speech(how), text(0));
    write_manifest();
  }

  ExitCode run(std::vector<std::string> flags) {
    const std::unique_ptr<Command> command = make_data_doctor_command();
    CLI::App app;
    Flags declared(app, Translator());
    command->declare(declared);
    flags.push_back(root_.string());
    std::reverse(flags.begin(), flags.end());  // as CLI11 wants them
    app.parse(flags);
    std::ostringstream out;
    std::ostringstream err;
    const ExitCode code = command->run({.stop = {}, .out = out, .err = err});
    out_ = out.str();
    err_ = err.str();
    return code;
  }

  std::string out_;
  std::string err_;
};

TEST_F(DataDoctorTest, WritesPageAndView) {
  const std::string view = (root_ / "view.tsv").string();
  const std::string page = (root_ / "page.html").string();

  const ExitCode code = run({"--write-view", view, "--html", page, "--fail-on", "any"});

  EXPECT_EQ(code, ExitCode::findings);
  EXPECT_THAT(out_, AllOf(HasSubstr("DOC003"), HasSubstr("c000")));
  EXPECT_THAT(read_text_file(view).value(), HasSubstr("trim\tc000\tDOC003\t"));
  EXPECT_TRUE(std::filesystem::exists(page));

  run({"--view", view, "--json"});

  EXPECT_THAT(err_, HasSubstr("clips are trimmed"));
  const auto report = nlohmann::json::parse(out_);
  for (const auto& finding : report.at("findings")) {
    EXPECT_NE(finding.at("rule"), "DOC003");
  }
}

TEST_F(DataDoctorTest, ACommandThatHearsOtherWordsIsBelieved) {
  // Hears the text of every row but one.
  std::ofstream(root_ / "asr.sh")
      << "while read -r line; do id=${line#*\\\"id\\\":}; id=${id%%,*}; clip=${line##*wavs/}; "
         "clip=${clip%%.wav*}; text=$(grep \"^$clip|\" "
      << (root_ / "metadata.csv").string()
      << " | cut -d'|' -f2); [ $clip = c007 ] && text='nothing of this at all'; "
         "printf '{\"id\":%s,\"text\":\"%s\"}\\n' \"$id\" \"$text\"; done\n";

  const ExitCode code = run({"--asr", "sh " + (root_ / "asr.sh").string(), "--json"});

  EXPECT_EQ(code, ExitCode::findings) << err_;
  std::vector<std::string> clips;
  const auto report = nlohmann::json::parse(out_);
  for (const auto& finding : report.at("findings")) {
    if (finding.at("rule") == "DOC019") {
      clips.push_back(finding.at("id"));
    }
  }
  EXPECT_EQ(clips, std::vector<std::string>{"c007"});
}

TEST_F(DataDoctorTest, APathThatCannotBeWrittenIsSaidFirst) {
  EXPECT_THROW(run({"--write-view", (root_ / "no/such/folder/view.tsv").string()}), Error);
}

}  // namespace
}  // namespace qanat
