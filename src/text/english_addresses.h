// Addresses and names of the net in English text: URLs, e-mail, handles, hashtags.
#pragma once

#include <cstddef>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// "https://example.com/about", "www.example.com", "me@example.com", "localhost:8080": read out,
// sign by sign. The bytes taken, or 0.
std::size_t read_english_address(const Place& place, WordWriter& out);

// "@john_doe". The bytes taken, or 0.
std::size_t read_english_handle(const Place& place, WordWriter& out);

// "#BlackLivesMatter" word by word, "#1", "C#". The bytes taken, at least one.
std::size_t read_english_hashtag(const Place& place, WordWriter& out);

}  // namespace qanat
