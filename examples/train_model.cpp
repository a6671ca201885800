// Training from a program: everything `qanat train` does, with an observer of one's own.
//
//   train_model DIR CHECKPOINTS [STEPS]
#include <exception>
#include <iostream>
#include <optional>
#include <string>

#include "locale/translator.h"
#include "training/train_session.h"

namespace {

class Printer : public qanat::TrainObserver {
 public:
  void on_step(const qanat::StepRecord& step) override {
    std::cout << "step " << step.step << "  loss " << step.losses.total << "  waited "
              << 1000 * step.phases.wait.count() << " ms for data\n";
  }
  void on_save(std::int64_t step) override { std::cout << "saved at step " << step << '\n'; }
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: train_model DIR CHECKPOINTS [STEPS]\n";
    return 2;
  }
  // The same keys as in a file; all problems come at once, as one exception.
  qanat::ConfigRequest wanted;
  wanted.sets = {std::string("data.train_data=") + argv[1],
                 std::string("training.checkpoint_dir=") + argv[2],
                 std::string("training.max_steps=") + (argc > 3 ? argv[3] : "10"),
                 "data.batch_size=4",
                 "model.size=nano"};
  Printer printer;
  const std::optional<qanat::TrainSummary> summary =
      qanat::run_training({.config = qanat::load_config(wanted),
                           .observer = printer,
                           .say =
                               [](const qanat::MessageArg& line) {
                                 std::cout << qanat::Translator().said(line) << '\n';
                               },
                           .measuring = nullptr,
                           .starting =
                               [](std::int64_t first, std::int64_t last) {
                                 std::cout << "steps " << first << " to " << last << '\n';
                               }});
  std::cout << summary.value().outcome.steps << " steps; journal " << summary->journal.string()
            << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
