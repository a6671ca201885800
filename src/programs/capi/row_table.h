// The rows that a caller hands over: names and texts are copied, audio stays the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "capi/qanat.h"
#include "dataset/given_rows.h"
#include "pipeline/clip_source.h"
#include "text/tokenizer.h"

namespace qanat {

// Value. All but `rows` have one entry per row, or none at all where no row says anything.
struct RowTable {
  std::vector<GivenRow> rows;
  MemoryClips::Clips clips;
  std::vector<TokenIds> tokens;
  std::vector<double> weights;
};

// Throws Error for rows that nothing can be made of: neither a file nor bytes, a weight below 0,
// tokens in some rows only or below 0.
RowTable copy_rows(std::span<const qanat_row> rows);

}  // namespace qanat
