// qanat: what needs no libtorch. For everything else it becomes qanat-torch.
#include "cli/commands.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  return qanat::run_program(qanat::all_commands(), argc, argv);
}
