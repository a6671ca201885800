#include "evaluate/evaluation.h"

#include <utility>

#include "evaluate/evaluate_pairs.h"
#include "evaluate/word_errors.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "locale/messages/evaluate.h"

namespace qanat {
namespace {

std::optional<Weighted>& score(ClipResult& clip, Measure measure) {
  return clip.scores.at(static_cast<std::size_t>(measure));
}

// Everything that one command is asked, clip after clip.
class Questions {
 public:
  Questions(const EvaluationRequest& request, Evaluation& evaluation)
      : request_(request), evaluation_(evaluation) {}

  // Each false when stopped.
  bool word_errors(const JudgeCommand& command) {
    return ask_all(command, JudgeTask::transcribe, [&](const UtteranceResult& one) {
      const auto text = request_.texts.find(one.name);
      const bool has_words = text != request_.texts.end() &&
                             !spoken_words(text->second.text, text->second.language).empty();
      if (!has_words) {
        evaluation_.problems.push_back(
            {one.name, one.reference ? Voice::reference : Voice::made, msg::evaluate_no_text{}});
      }
      return has_words;
    });
  }
  bool others(const JudgeCommand& command, JudgeTask task) {
    return ask_all(command, task, [&](const UtteranceResult& one) {
      return task != JudgeTask::similarity || one.reference;
    });
  }

 private:
  template <typename Wanted>
  bool ask_all(const JudgeCommand& command, JudgeTask task, const Wanted& wanted) {
    Judge judge(command, task, request_.stop);
    ProgressFn progress;
    if (request_.progress) {
      progress = request_.progress(msg::evaluate_asking{.command = command.command},
                                   msg::progress_utterances{});
    }
    std::int64_t done = 0;
    for (UtteranceResult& one : evaluation_.utterances) {
      if (request_.stop.stop_requested()) {
        return false;
      }
      if (wanted(one)) {
        ask_each(judge, task, one);
      }
      if (progress) {
        progress(++done, static_cast<std::int64_t>(evaluation_.utterances.size()));
      }
    }
    return true;
  }

  void ask_each(Judge& judge, JudgeTask task, UtteranceResult& one) {
    // A recording is as similar to itself as can be: nothing to ask.
    if (task != JudgeTask::similarity && one.reference) {
      ask(judge, task, one, {Voice::reference, &*one.reference});
    }
    ask(judge, task, one, {Voice::made, &one.made});
    if (one.baseline) {
      ask(judge, task, one, {Voice::baseline, &*one.baseline});
    }
  }

  void ask(Judge& judge,
           JudgeTask task,
           const UtteranceResult& one,
           std::pair<Voice, ClipResult*> whose) {
    const auto& [voice, clip] = whose;
    const auto text = request_.texts.find(one.name);
    const LanguageTag language =
        text == request_.texts.end() ? LanguageTag() : text->second.language;
    const Result<JudgeAnswer> answer =
        judge.ask({.audio = clip->file,
                   .reference = one.reference ? one.reference->file : std::filesystem::path(),
                   .language = language});
    if (!answer) {
      evaluation_.problems.push_back({one.name, voice, reason_of(answer.failure())});
    } else if (task == JudgeTask::transcribe) {
      take_transcript(*answer.value().text, text->second, *clip);
    } else {
      const Measure measure =
          task == JudgeTask::similarity ? Measure::speaker_similarity : Measure::quality;
      score(*clip, measure) = Weighted{.value = *answer.value().value};
    }
  }

  static void take_transcript(const std::string& heard,
                              const EvaluatedText& text,
                              ClipResult& clip) {
    clip.heard = heard;
    const WordErrors errors = count_word_errors(spoken_words(text.text, text.language),
                                                spoken_words(heard, text.language));
    const auto words = static_cast<double>(errors.words);
    score(clip, Measure::word_errors) =
        Weighted{.value = static_cast<double>(errors.errors) / words, .weight = words};
  }

  const EvaluationRequest& request_;
  Evaluation& evaluation_;
};

}  // namespace

MeasureFacts facts_of(Measure measure) {
  switch (measure) {
    case Measure::mcd:
      return {.key = "mcd_db", .name = msg::measure_mcd{}};
    case Measure::log_mel:
      return {.key = "log_mel_nat", .name = msg::measure_log_mel{}};
    case Measure::pitch_cents:
      return {.key = "f0_rmse_cents", .name = msg::measure_pitch_cents{}};
    case Measure::pitch_hertz:
      return {.key = "f0_rmse_hz", .name = msg::measure_pitch_hertz{}};
    case Measure::voicing_error:
      return {.key = "voicing_error", .name = msg::measure_voicing{}, .shown = Shown::share};
    case Measure::duration_error:
      return {.key = "duration_error", .name = msg::measure_duration{}, .shown = Shown::share};
    case Measure::length:
      return {.key = "seconds", .name = msg::measure_length{}, .better = Better::neither};
    case Measure::real_time_factor:
      return {.key = "real_time_factor", .name = msg::measure_real_time_factor{}};
    case Measure::word_errors:
      return {.key = "word_error_rate", .name = msg::measure_word_errors{}, .shown = Shown::share};
    case Measure::speaker_similarity:
      return {
          .key = "speaker_similarity", .name = msg::measure_similarity{}, .better = Better::higher};
    case Measure::quality:
      return {.key = "quality", .name = msg::measure_quality{}, .better = Better::higher};
  }
  return {};
}

std::string_view to_string(Voice voice) {
  switch (voice) {
    case Voice::reference:
      return "reference";
    case Voice::made:
      return "made";
    case Voice::baseline:
      return "baseline";
  }
  return "";
}

std::optional<Evaluation> evaluate(const EvaluationRequest& request) {
  std::optional<Evaluation> evaluation = evaluate_pairs(request);
  if (!evaluation) {
    return std::nullopt;
  }
  Questions questions(request, *evaluation);
  const bool done = (!request.word_errors || questions.word_errors(*request.word_errors)) &&
                    (!request.speaker_similarity ||
                     questions.others(*request.speaker_similarity, JudgeTask::similarity)) &&
                    (!request.quality || questions.others(*request.quality, JudgeTask::quality));
  return done ? std::move(evaluation) : std::nullopt;
}

}  // namespace qanat
