// The C functions: check what comes in, call the session, turn what it throws into a status.
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "capi/batch_arrays.h"
#include "capi/caller_memory.h"
#include "capi/loader_session.h"
#include "capi/loader_set.h"
#include "capi/loader_settings.h"
#include "capi/python_functions.h"
#include "capi/qanat.h"
#include "capi/row_table.h"
#include "capi/status.h"
#include "capi/text_reader.h"
#include "features/mel_presets.h"
#include "locale/message_error.h"
#include "locale/messages/speech_errors.h"
#include "metrics/journal_event.h"

// NOLINTNEXTLINE(readability-identifier-naming): as qanat.h has it
struct qanat_loader {
  qanat_loader(qanat::LoaderSettings settings,
               qanat::LoaderSession::MakeBlocks make_blocks,
               std::optional<qanat::RowTable> rows)
      : session(std::move(settings), std::move(make_blocks), std::move(rows)) {}

  qanat::LoaderSession session;
};

// NOLINTNEXTLINE(readability-identifier-naming): as qanat.h has it
struct qanat_text {
  explicit qanat_text(qanat::TextReader made) : reader(std::move(made)) {}

  qanat::TextReader reader;
};

namespace {

// Runs `body`, which returns a status. Nothing that it throws gets out.
template <typename Body>
qanat_status guarded(char** why, Body body) noexcept {
  if (why != nullptr) {
    *why = nullptr;
  }
  try {
    return body();
  } catch (...) {
    return qanat::current_failure(why);
  }
}

void need(bool given) {
  if (!given) {
    throw qanat::MisuseError(qanat::Misuse::invalid, qanat::msg::capi_null{});
  }
}

void put_json(const nlohmann::json& value, char** json) {
  // Names of files are bytes; what is not UTF-8 is replaced.
  *json = qanat::copy_text(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// Settings and rows are the caller's: what is wrong with them is QANAT_INVALID.
template <typename Read>
qanat_status read_given(char** why, Read read) {
  try {
    read();
  } catch (const qanat::Error& error) {
    if (why != nullptr) {
      *why = qanat::copy_text(error.what());
    }
    return QANAT_INVALID;
  }
  return QANAT_OK;
}

// `rows` may be null.
qanat_status open_loader(const char* settings,
                         const std::span<const qanat_row>* rows,
                         const qanat_allocator* memory,
                         qanat_loader** loader,
                         char** why) {
  need(settings != nullptr && loader != nullptr);
  need(memory == nullptr || (memory->allocate != nullptr && memory->release != nullptr));
  *loader = nullptr;
  qanat::LoaderSettings parsed;
  std::optional<qanat::RowTable> copied;
  const qanat_status status = read_given(why, [&] {
    parsed = qanat::parse_settings(settings);
    if (rows != nullptr) {
      copied = qanat::copy_rows(*rows);
    }
  });
  if (status == QANAT_OK) {
    *loader = new qanat_loader(std::move(parsed), qanat::make_blocks_of(memory), std::move(copied));
  }
  return status;
}

qanat::Seconds to_seconds(double seconds) {
  constexpr double kMax = 3600;
  return qanat::Seconds(seconds > 0 ? std::fmin(seconds, kMax) : 0.0);
}

}  // namespace

extern "C" {

int qanat_abi(void) {
  return QANAT_ABI;
}

const char* qanat_version(void) {
  return QANAT_VERSION;
}

void qanat_free_text(char* text) {
  delete[] text;
}

qanat_status qanat_mel_presets(char** json, char** why) {
  return guarded(why, [&] {
    need(json != nullptr);
    nlohmann::json presets = nlohmann::json::object();
    for (const qanat::MelPreset& preset : qanat::mel_presets()) {
      presets[std::string(preset.name)] = to_json(preset.config);
    }
    put_json(presets, json);
    return QANAT_OK;
  });
}

qanat_status qanat_loader_open(const char* settings,
                               const qanat_allocator* memory,
                               qanat_loader** loader,
                               char** why) {
  return guarded(why, [&] { return open_loader(settings, nullptr, memory, loader, why); });
}

qanat_status qanat_loader_open_rows(const char* settings,
                                    const qanat_row* rows,
                                    size_t num_rows,
                                    const qanat_allocator* memory,
                                    qanat_loader** loader,
                                    char** why) {
  return guarded(why, [&] {
    need(rows != nullptr || num_rows == 0);
    const std::span<const qanat_row> given(rows, num_rows);
    return open_loader(settings, &given, memory, loader, why);
  });
}

qanat_status qanat_read_rows(const char* settings, char** json, char** why) {
  return guarded(why, [&] {
    need(settings != nullptr && json != nullptr);
    qanat::LoaderSettings parsed;
    const qanat_status status = read_given(why, [&] { parsed = qanat::parse_settings(settings); });
    if (status == QANAT_OK) {
      put_json(qanat::read_rows(parsed), json);
    }
    return status;
  });
}

qanat_status qanat_loader_wait(qanat_loader* loader, double seconds, char** why) {
  return guarded(why, [&] {
    need(loader != nullptr);
    return loader->session.wait_until_open(to_seconds(seconds)) ? QANAT_OK : QANAT_TIMEOUT;
  });
}

void qanat_loader_close(qanat_loader* loader) {
  if (loader != nullptr) {
    loader->session.close();
  }
}

void qanat_loader_free(qanat_loader* loader) {
  delete loader;
}

qanat_status qanat_loader_next(qanat_loader* loader,
                               double seconds,
                               qanat_batch* batch,
                               char** why) {
  return guarded(why, [&] {
    need(loader != nullptr && batch != nullptr);
    const auto taken = loader->session.next(to_seconds(seconds));
    if (!taken) {
      return QANAT_TIMEOUT;
    }
    batch->lease = taken->lease;
    batch->epoch = taken->batch->id().epoch;
    batch->index = taken->batch->id().index;
    for (int field = 0; field < QANAT_NUM_FIELDS; ++field) {
      batch->arrays[field] = qanat::array_of(*taken->batch, static_cast<qanat_field>(field));
    }
    if (!loader->session.has_tokens()) {
      batch->arrays[QANAT_TOKENS] = {};
      batch->arrays[QANAT_TOKEN_LENGTHS] = {};
    }
    return QANAT_OK;
  });
}

void qanat_loader_release(qanat_loader* loader, int64_t lease) {
  if (loader != nullptr) {
    loader->session.release(lease);
  }
}

qanat_status qanat_loader_position(qanat_loader* loader,
                                   int64_t* epoch,
                                   int64_t* batch,
                                   char** why) {
  return guarded(why, [&] {
    need(loader != nullptr && epoch != nullptr && batch != nullptr);
    const qanat::Position position = loader->session.position();
    *epoch = position.epoch;
    *batch = position.batch;
    return QANAT_OK;
  });
}

qanat_status qanat_loader_seek(qanat_loader* loader, int64_t epoch, int64_t batch, char** why) {
  return guarded(why, [&] {
    need(loader != nullptr);
    loader->session.seek({.epoch = epoch, .batch = batch});
    return QANAT_OK;
  });
}

qanat_status qanat_loader_cut_for(qanat_loader* loader, int32_t processes, char** why) {
  return guarded(why, [&] {
    need(loader != nullptr);
    loader->session.cut_for(processes);
    return QANAT_OK;
  });
}

qanat_status qanat_loader_facts(qanat_loader* loader, char** json, char** why) {
  return guarded(why, [&] {
    need(loader != nullptr && json != nullptr);
    put_json(loader->session.facts(), json);
    return QANAT_OK;
  });
}

qanat_status qanat_loader_stats(qanat_loader* loader, char** json, char** why) {
  return guarded(why, [&] {
    need(loader != nullptr && json != nullptr);
    put_json(qanat::to_fields(loader->session.stats()), json);
    return QANAT_OK;
  });
}

qanat_status qanat_loader_utterance(qanat_loader* loader, int64_t item, char** json, char** why) {
  return guarded(why, [&] {
    need(loader != nullptr && json != nullptr);
    put_json(loader->session.utterance(item), json);
    return QANAT_OK;
  });
}

qanat_status qanat_loader_damaged(qanat_loader* loader, char** json, char** why) {
  return guarded(why, [&] {
    need(loader != nullptr && json != nullptr);
    put_json(loader->session.damaged(), json);
    return QANAT_OK;
  });
}

qanat_status qanat_text_open(const char* settings, qanat_text** text, char** why) {
  return guarded(why, [&] {
    need(settings != nullptr && text != nullptr);
    *text = nullptr;
    return read_given(why, [&] { *text = new qanat_text(qanat::TextReader(settings)); });
  });
}

qanat_status qanat_loader_text(qanat_loader* loader, qanat_text** text, char** why) {
  return guarded(why, [&] {
    need(loader != nullptr && text != nullptr);
    *text = nullptr;
    *text = new qanat_text(qanat::TextReader(loader->session.text()));
    return QANAT_OK;
  });
}

void qanat_text_free(qanat_text* text) {
  delete text;
}

qanat_status qanat_text_read(
    qanat_text* text, const char* sentence, const char* language, char** json, char** why) {
  return guarded(why, [&] {
    need(text != nullptr && sentence != nullptr && json != nullptr);
    put_json(text->reader.read(sentence, language == nullptr ? "" : language), json);
    return QANAT_OK;
  });
}

qanat_status qanat_text_symbols(qanat_text* text, char** json, char** why) {
  return guarded(why, [&] {
    need(text != nullptr && json != nullptr);
    put_json(text->reader.symbols(), json);
    return QANAT_OK;
  });
}

void* qanat_loader_python(qanat_loader* loader) {
  return loader == nullptr ? nullptr : qanat::make_python_functions(loader->session);
}

}  // extern "C"
