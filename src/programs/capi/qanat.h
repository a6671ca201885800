/* The loader as a C library: what the Python package calls, and any language that can call C.
 *
 * No exception and no C++ type crosses. Every function that can fail returns a status and, unless
 * `why` is null, sets *why to a text that qanat_free_text() frees. Text is UTF-8; what goes in and
 * comes out as JSON says so.
 *
 * A loader is opened, used and freed by its owner. One thread at a time takes batches; everything
 * else may be called from any thread, until qanat_loader_free().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN(readability-identifier-naming): names as C libraries have them */

#ifdef __cplusplus
extern "C" {
#endif

#define QANAT_ABI 4 /* raised when something below changes its meaning */

typedef enum qanat_status {
  QANAT_OK = 0,
  QANAT_TIMEOUT = 1, /* nothing happened in the time given; ask again */
  QANAT_FAILED = 2,  /* data set, memory, disk: the loader cannot go on */
  QANAT_INVALID = 3, /* an argument; the loader is as it was */
  QANAT_CLOSED = 4,  /* the loader was closed */
  QANAT_BUSY = 5,    /* another thread is taking a batch */
  QANAT_HELD = 6,    /* batches that are not released hold all the memory there is */
} qanat_status;

typedef struct qanat_loader qanat_loader;

/* The arrays of a batch, in the order of qanat_batch.arrays. Without "text": "tokens" there are
 * neither tokens nor their lengths. */
typedef enum qanat_field {
  QANAT_MEL = 0,       /* f32 [rows, frames, mel_bins] */
  QANAT_AUDIO,         /* s16 [rows, samples] */
  QANAT_TOKENS,        /* i32 [rows, tokens] */
  QANAT_MEL_LENGTHS,   /* i32 [rows], frames */
  QANAT_AUDIO_LENGTHS, /* i32 [rows], samples */
  QANAT_TOKEN_LENGTHS, /* i32 [rows] */
  QANAT_SPEAKERS,      /* i32 [rows] */
  QANAT_ITEMS,         /* i32 [rows], positions in the data set */
  QANAT_NUM_FIELDS
} qanat_field;

typedef enum qanat_type { QANAT_F32 = 0, QANAT_S16 = 1, QANAT_I32 = 2 } qanat_type;

/* Row by row, without gaps. `data` is null where the batch has no such array. */
typedef struct qanat_array {
  void* data;
  int32_t type; /* qanat_type */
  int32_t dimensions;
  int64_t shape[3];
} qanat_array;

/* The memory of a batch is the reader's until its lease is released, also after the loader is
 * closed, but not after it is freed. */
typedef struct qanat_batch {
  int64_t lease;
  int64_t epoch;
  int64_t index; /* in the epoch, on this rank */
  qanat_array arrays[QANAT_NUM_FIELDS];
} qanat_batch;

int qanat_abi(void);
const char* qanat_version(void);
void qanat_free_text(char* text);
/* JSON: {name: settings} of every mel definition that has a name. */
qanat_status qanat_mel_presets(char** json, char** why);

/* Text as it is read aloud: numbers, dates and short forms as words in "en" and "fa"; letters in
 * one form in every other language (a BCP 47 tag), where digits and signs are QANAT_INVALID.
 * qanat_free_text() frees the result. */
qanat_status qanat_normalize(const char* text, const char* language, char** result, char** why);

/* Memory for batches from the caller, such as memory that is pinned for a GPU.
 *
 * Both functions are called by any thread, one after another or at the same time, and hold no lock
 * of the loader's. `allocate` returns null when it cannot, which ends the loader, and an address
 * that is a multiple of QANAT_ALIGNMENT otherwise. What it returned is released once: when the
 * loader needs less, or with the last batch or exported tensor after the loader was closed.
 * `ended` may be null; when it points to something other than 0, neither is called any more, and
 * memory stays with the caller: for languages that end before their tensors do. Function pointers
 * and `ended` stay valid as long as there is memory to release. */
typedef struct qanat_allocator {
  void* context;
  void* (*allocate)(void* context, size_t bytes);
  void (*release)(void* context, void* memory, size_t bytes);
  const int32_t* ended;
} qanat_allocator;

#define QANAT_ALIGNMENT 64

/* Begins to read the data set that the settings (JSON, see loader_settings.h) name, on a thread of
 * the loader's. Settings that cannot be used are QANAT_INVALID. `memory` is copied; null: memory of
 * the loader's own. */
qanat_status qanat_loader_open(const char* settings,
                               const qanat_allocator* memory,
                               qanat_loader** loader,
                               char** why);
/* A row of a data set that the caller has: one of `path` and `bytes` says where its audio is. */
typedef struct qanat_row {
  const char* id;    /* unique; null: `path`, or the position of the row, from 0 */
  const char* path;  /* a file; or what to call `bytes`, which may be null */
  const void* bytes; /* what a file would hold; the caller's, until the loader is freed */
  size_t num_bytes;
  const char* text;      /* null: none */
  const char* speaker;   /* null: not said */
  const char* language;  /* null: by the script of the text */
  const int32_t* tokens; /* instead of those of the text, from 0 on; all rows have them, or none */
  size_t num_tokens;
  int32_t part;  /* 0: not said; 1: for training; 2: for validation */
  double weight; /* how often it comes, beside the others; 1 in all of them: once an epoch */
} qanat_row;

/* The same of rows instead of a data set on disk. All but `bytes` is copied. */
qanat_status qanat_loader_open_rows(const char* settings,
                                    const qanat_row* rows,
                                    size_t num_rows,
                                    const qanat_allocator* memory,
                                    qanat_loader** loader,
                                    char** why);
/* JSON: the rows of the data set that the settings name, in order: id, path, text, speaker,
 * language and part, as a qanat_row has them. Rows that cannot be used are not among them. */
qanat_status qanat_read_rows(const char* settings, char** json, char** why);
/* Waits until the data set is read and the first batches are being filled. */
qanat_status qanat_loader_wait(qanat_loader* loader, double seconds, char** why);
/* Stops the loader's threads; waits for the rows that are being filled. May be repeated. */
void qanat_loader_close(qanat_loader* loader);
/* Closes, and frees everything but exported tensors. Null is allowed. */
void qanat_loader_free(qanat_loader* loader);

/* The next batch; waits for at most so many seconds, and not at all for 0. */
qanat_status qanat_loader_next(qanat_loader* loader,
                               double seconds,
                               qanat_batch* batch,
                               char** why);
/* Gives a batch back. Harmless when it was given back before. */
void qanat_loader_release(qanat_loader* loader, int64_t lease);

/* The batch that qanat_loader_next() gives next. */
qanat_status qanat_loader_position(qanat_loader* loader,
                                   int64_t* epoch,
                                   int64_t* batch,
                                   char** why);
/* Goes on at another batch; nothing happens when it is the next one anyway. */
qanat_status qanat_loader_seek(qanat_loader* loader, int64_t epoch, int64_t batch, char** why);
/* All processes share each batch. This goes back to the first one, with batches that are
   `processes` times the size of one process's: those of a run that had so many, whatever "world" is
   now. */
qanat_status qanat_loader_cut_for(qanat_loader* loader, int32_t processes, char** why);

/* JSON: batches_per_epoch, utterances, left_out, speakers, symbols, plan, mel. */
qanat_status qanat_loader_facts(qanat_loader* loader, char** json, char** why);
/* JSON: what the loader did since it began at its position. */
qanat_status qanat_loader_stats(qanat_loader* loader, char** json, char** why);
/* JSON: id, text, speaker, language, file and samples of an utterance. */
qanat_status qanat_loader_utterance(qanat_loader* loader, int64_t item, char** json, char** why);

/* JSON: {"left_out": rows that are not used, "failed": rows that could not be filled}, each with
 * id, file, row, problem and reason; also of a closed loader. */
qanat_status qanat_loader_damaged(qanat_loader* loader, char** json, char** why);

/* The symbols of tokens, and what becomes of a text. Thread-safe. */
typedef struct qanat_text qanat_text;

/* Settings are the section `data` of a configuration, as JSON. */
qanat_status qanat_text_open(const char* settings, qanat_text** text, char** why);
/* What made the tokens of an open loader, with the symbols that its texts taught; outlives it. */
qanat_status qanat_loader_text(qanat_loader* loader, qanat_text** text, char** why);
void qanat_text_free(qanat_text* text);
/* JSON: text, phonemes, tokens, unknown, language. `language` may be null: by the script. */
qanat_status qanat_text_read(
    qanat_text* text, const char* sentence, const char* language, char** json, char** why);
/* JSON: the symbol of every token, from 0 on. */
qanat_status qanat_text_symbols(qanat_text* text, char** json, char** why);

/* For Python: a new reference to a tuple of six functions, which have to be dropped before the
 * loader is freed. Null in a process without Python. For a thread that holds Python's lock.
 *
 * take() is the next batch, (lease, (epoch, index), rows that could not be filled as planned). It
 * waits for at most a tenth of a second, and lets other threads have the lock meanwhile; None when
 * no batch came. (None, (status, text), 0) when it fails, with None for the text in another
 * process, after a fork. The lease is a capsule: the batch is given back with the last reference to
 * it.
 *
 * layout(lease, field) is (address, type, shape) of an array, or None where the batch has none.
 *
 * texts(lease) is the list of texts of its rows, as the data set has them.
 *
 * values(lease, field) is the list of numbers of an array that has one for each row.
 *
 * tensor(lease, field, major) is a capsule around a DLPack tensor of an array, named dltensor, or
 * dltensor_versioned for a `major` of 1 or more. The tensor keeps the memory of the batch, whatever
 * is dropped, closed or freed.
 *
 * array_struct(lease, field) is the capsule for __array_struct__ of an array, which is valid as
 * long as the lease. */
void* qanat_loader_python(qanat_loader* loader);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */
