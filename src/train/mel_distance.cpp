#include "train/mel_distance.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <torch/torch.h>

namespace qanat {
namespace {

struct Cell {
  double cost = std::numeric_limits<double>::infinity();
  std::int64_t steps = 0;
};

Cell cheapest(const Cell& a, const Cell& b, const Cell& c) {
  return std::min({a, b, c}, [](const Cell& x, const Cell& y) { return x.cost < y.cost; });
}

}  // namespace

double warped_distance(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor distance =
      (torch::cdist(a.unsqueeze(0), b.unsqueeze(0), 1.0)[0] / a.size(1)).contiguous();
  const std::int64_t rows = a.size(0);
  const std::int64_t columns = b.size(0);
  const float* value = distance.data_ptr<float>();
  // One row of cells is enough; [0] stands for "before the first frame".
  std::vector<Cell> cells(static_cast<std::size_t>(columns + 1));
  Cell corner{.cost = 0, .steps = 0};
  for (std::int64_t row = 0; row < rows; ++row) {
    Cell diagonal = row == 0 ? corner : Cell{};
    for (std::size_t column = 1; column < cells.size(); ++column) {
      const Cell above = cells[column];
      const Cell best = cheapest(diagonal, above, cells[column - 1]);
      cells[column] = {.cost = best.cost + static_cast<double>(*value++), .steps = best.steps + 1};
      diagonal = above;
    }
  }
  return cells.back().cost / static_cast<double>(cells.back().steps);
}

}  // namespace qanat
