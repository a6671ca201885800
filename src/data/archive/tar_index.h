// Where the members of a tar file lie. Reads headers only: ustar, pax and GNU long names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/random_access.h"
#include "base/message.h"

namespace qanat {

// A regular file in it.
struct TarMember {
  std::string name;
  Bytes offset;
  Bytes size;

  bool operator==(const TarMember&) const = default;
};

struct TarIndex {
  std::vector<TarMember> members;  // in the order of the file
  // Why what follows the last member cannot be read: cut off, damaged; says nothing if nothing is
  // wrong.
  std::optional<Message> trouble;
};

// Failure: not a tar file at all, compressed, or it cannot be read.
Result<TarIndex> read_tar_index(const RandomAccess& file);

}  // namespace qanat
