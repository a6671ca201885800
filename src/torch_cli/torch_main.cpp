// qanat-torch: every command; started by qanat for those that need libtorch.
#include "cli/program.h"
#include "cli/torch_part.h"
#include "torch_cli/torch_commands.h"

int main(int argc, char** argv) {
  qanat::restart_with_torch_environment(argv);
  return qanat::run_program(qanat::complete_commands(), argc, argv);
}
