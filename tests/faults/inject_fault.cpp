// LD_PRELOAD: lets system calls of a program fail, each once.
//
// A call has a name that is the same in every run: what it does, the file, and how often that was
// done before. With QANAT_FAULT_SERVER the program, loaded once, is forked for every line of
// standard input (`errno what file number`, several with tabs between); the name `-` writes all
// names to the log instead. The campaign (campaign.py) says which ones.
//
//   QANAT_FAULT_SCOPE   folders whose files may fail, separated by `:`
//   QANAT_FAULT_LOG     where the names of calls are written
//   QANAT_FAULT_OUTPUT  where a forked program writes what it says
#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Plan {
  std::mutex mutex;  // guards the fields
  bool is_active = false;
  std::map<std::string, int> errors;  // of the calls that fail, by `what file number`
  int log = -1;
  std::vector<std::string> scope;
  std::map<std::string, int> counts;      // by `what file`
  std::map<int, std::string> open_files;  // of the scope
};

// Made before main() and never destroyed: calls are made until the process is gone.
Plan& plan() {
  static Plan* const made = new Plan;
  return *made;
}

thread_local bool is_inside = false;  // calls of this library are real

class Inside {
 public:
  Inside() { is_inside = true; }
  ~Inside() { is_inside = false; }
};

template <typename F>
F real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

// Numbers of processes are not part of a name, nor are times.
std::string stable_name(std::string path) {
  for (const char* const mark : {".part-", ".tfevents."}) {
    const std::size_t at = path.find(mark);
    if (at != std::string::npos) {
      path.resize(at + std::strlen(mark));
    }
  }
  return path;
}

bool is_in_scope(const std::string& path) {
  for (const std::string& folder : plan().scope) {
    if (path.compare(0, folder.size(), folder) == 0) {
      return true;
    }
  }
  return false;
}

std::string absolute(const char* path) {
  if (path == nullptr) {
    return "";
  }
  if (path[0] == '/') {
    return path;
  }
  char folder[4096] = {};
  std::string whole(getcwd(folder, sizeof folder) == nullptr ? "" : folder);
  return whole.append("/").append(path);
}

// Whether this call is the one that fails; with the lock held.
bool fails_now(const char* what, const std::string& file) {
  Plan& now = plan();
  std::string key(what);
  key.append(" ").append(stable_name(file));
  const int number = now.counts[key]++;
  key.append(" ").append(std::to_string(number));
  if (now.log >= 0) {
    std::string line(key);
    line.append("\n");
    syscall(SYS_write, now.log, line.data(), line.size());
  }
  const auto found = now.errors.find(key);
  if (found == now.errors.end()) {
    return false;
  }
  std::string line("failed ");
  line.append(key).append("\n");
  syscall(SYS_write, 2, line.data(), line.size());
  errno = found->second;
  return true;
}

bool path_fails(const char* what, const char* path) {
  if (is_inside || !plan().is_active) {
    return false;
  }
  const Inside inside;
  const std::lock_guard lock(plan().mutex);
  const std::string file = absolute(path);
  return is_in_scope(file) && fails_now(what, file);
}

bool file_fails(const char* what, int fd) {
  if (is_inside || !plan().is_active) {
    return false;
  }
  const Inside inside;
  const std::lock_guard lock(plan().mutex);
  const auto found = plan().open_files.find(fd);
  return found != plan().open_files.end() && fails_now(what, found->second);
}

int remember(int fd, const char* path) {
  if (fd >= 0 && !is_inside && plan().is_active) {
    const int error = errno;
    const Inside inside;
    const std::lock_guard lock(plan().mutex);
    const std::string file = absolute(path);
    plan().open_files.erase(fd);
    if (is_in_scope(file)) {
      plan().open_files.emplace(fd, file);
    }
    errno = error;
  }
  return fd;
}

// Streams of the standard library read and write the descriptor themselves.
FILE* remember(FILE* file, const char* path) {
  if (file != nullptr) {
    remember(fileno(file), path);
  }
  return file;
}

void forget(int fd) {
  if (!is_inside && plan().is_active) {
    const Inside inside;
    const std::lock_guard lock(plan().mutex);
    plan().open_files.erase(fd);
  }
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

void begin(std::string line) {
  Plan& now = plan();
  while (!line.empty()) {
    const std::size_t end = std::min(line.find('\t'), line.size());
    const std::string point = line.substr(0, end);
    const std::string name = point.substr(std::min(point.find(' '), point.size() - 1) + 1);
    if (name == "-") {
      now.log = open(getenv("QANAT_FAULT_LOG"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    } else {
      now.errors[name] = std::atoi(point.c_str());
    }
    line.erase(0, end + 1);
  }
  now.is_active = true;
}

// The parent stays here for ever; a child returns and becomes the program.
void serve() {
  char line[1 << 16];
  while (fgets(line, sizeof line, stdin) != nullptr) {
    line[strcspn(line, "\n")] = '\0';
    const pid_t child = fork();
    if (child == 0) {
      const int out = open(getenv("QANAT_FAULT_OUTPUT"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      const int none = open("/dev/null", O_RDONLY);
      dup2(none, 0);
      dup2(out, 1);
      dup2(out, 2);
      close(out);
      close(none);
      begin(line);
      return;
    }
    printf("%d\n", static_cast<int>(child));
    fflush(stdout);
    int status = 0;
    while (waitpid(child, &status, 0) != child) {
    }
    printf("%d\n", status);
    fflush(stdout);
  }
  _exit(0);
}

__attribute__((constructor)) void start() {
  const Inside inside;
  const char* const scope = getenv("QANAT_FAULT_SCOPE");
  for (std::string rest = scope == nullptr ? "" : scope; !rest.empty();) {
    const std::size_t end = rest.find(':');
    plan().scope.push_back(rest.substr(0, end));
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  if (getenv("QANAT_FAULT_SERVER") != nullptr) {
    unsetenv("LD_PRELOAD");  // programs that it starts are not part of the campaign
    serve();
  }
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  static const auto call = real<int (*)(const char*, int, mode_t)>("open");
  return path_fails("open", path) ? -1 : remember(call(path, flags, mode), path);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  static const auto call = real<int (*)(const char*, int, mode_t)>("open64");
  return path_fails("open", path) ? -1 : remember(call(path, flags, mode), path);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  static const auto call = real<int (*)(int, const char*, int, mode_t)>("openat");
  return path_fails("open", path) ? -1 : remember(call(folder, path, flags, mode), path);
}

FILE* fopen(const char* path, const char* mode) {
  static const auto call = real<FILE* (*)(const char*, const char*)>("fopen");
  return path_fails("open", path) ? nullptr : remember(call(path, mode), path);
}

FILE* fopen64(const char* path, const char* mode) {
  static const auto call = real<FILE* (*)(const char*, const char*)>("fopen64");
  return path_fails("open", path) ? nullptr : remember(call(path, mode), path);
}

DIR* opendir(const char* path) {
  static const auto call = real<DIR* (*)(const char*)>("opendir");
  return path_fails("open", path) ? nullptr : call(path);
}

int close(int fd) {
  static const auto call = real<int (*)(int)>("close");
  forget(fd);
  return call(fd);
}

int fclose(FILE* file) {
  static const auto call = real<int (*)(FILE*)>("fclose");
  forget(fileno(file));
  return call(file);
}

ssize_t read(int fd, void* to, size_t count) {
  static const auto call = real<ssize_t (*)(int, void*, size_t)>("read");
  return file_fails("read", fd) ? -1 : call(fd, to, count);
}

ssize_t pread(int fd, void* to, size_t count, off_t offset) {
  static const auto call = real<ssize_t (*)(int, void*, size_t, off_t)>("pread");
  return file_fails("read", fd) ? -1 : call(fd, to, count, offset);
}

ssize_t pread64(int fd, void* to, size_t count, off64_t offset) {
  static const auto call = real<ssize_t (*)(int, void*, size_t, off64_t)>("pread64");
  return file_fails("read", fd) ? -1 : call(fd, to, count, offset);
}

ssize_t preadv(int fd, const iovec* to, int count, off_t offset) {
  static const auto call = real<ssize_t (*)(int, const iovec*, int, off_t)>("preadv");
  return file_fails("read", fd) ? -1 : call(fd, to, count, offset);
}

ssize_t preadv64(int fd, const iovec* to, int count, off64_t offset) {
  static const auto call = real<ssize_t (*)(int, const iovec*, int, off64_t)>("preadv64");
  return file_fails("read", fd) ? -1 : call(fd, to, count, offset);
}

ssize_t write(int fd, const void* from, size_t count) {
  static const auto call = real<ssize_t (*)(int, const void*, size_t)>("write");
  return file_fails("write", fd) ? -1 : call(fd, from, count);
}

ssize_t pwrite(int fd, const void* from, size_t count, off_t offset) {
  static const auto call = real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return file_fails("write", fd) ? -1 : call(fd, from, count, offset);
}

ssize_t writev(int fd, const iovec* from, int count) {
  static const auto call = real<ssize_t (*)(int, const iovec*, int)>("writev");
  return file_fails("write", fd) ? -1 : call(fd, from, count);
}

int fsync(int fd) {
  static const auto call = real<int (*)(int)>("fsync");
  return file_fails("fsync", fd) ? -1 : call(fd);
}

int fdatasync(int fd) {
  static const auto call = real<int (*)(int)>("fdatasync");
  return file_fails("fsync", fd) ? -1 : call(fd);
}

int rename(const char* from, const char* to) {
  static const auto call = real<int (*)(const char*, const char*)>("rename");
  return path_fails("rename", to) ? -1 : call(from, to);
}

int mkdir(const char* path, mode_t mode) {
  static const auto call = real<int (*)(const char*, mode_t)>("mkdir");
  return path_fails("mkdir", path) ? -1 : call(path, mode);
}

void* mmap(void* at, size_t count, int protection, int flags, int fd, off_t offset) {
  static const auto call = real<void* (*)(void*, size_t, int, int, int, off_t)>("mmap");
  return fd >= 0 && file_fails("mmap", fd) ? MAP_FAILED
                                           : call(at, count, protection, flags, fd, offset);
}

void* mmap64(void* at, size_t count, int protection, int flags, int fd, off64_t offset) {
  static const auto call = real<void* (*)(void*, size_t, int, int, int, off64_t)>("mmap64");
  return fd >= 0 && file_fails("mmap", fd) ? MAP_FAILED
                                           : call(at, count, protection, flags, fd, offset);
}

}  // extern "C"
