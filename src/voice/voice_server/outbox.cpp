#include "voice_server/outbox.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/eventfd.h>

#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/file_errors.h"

namespace qanat {

LoopAlarm::LoopAlarm() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!fd_) {
    throw MessageError(msg::set_refused{.file = "eventfd",
                                        .why = msg::cannot_create{.reason = system_reason(errno)}});
  }
}

void LoopAlarm::ring() const {
  ::eventfd_write(fd_.get(), 1);
}

void LoopAlarm::clear() const {
  eventfd_t ignored = 0;
  ::eventfd_read(fd_.get(), &ignored);
}

void Outbox::push(std::string_view bytes) {
  if (is_gone() || bytes.empty()) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    bytes_.append(bytes);
  }
  alarm_->ring();
}

void Outbox::finish() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = ending_ == Ending::open ? Ending::finished : ending_;
  }
  alarm_->ring();
}

void Outbox::cut() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = Ending::cut;
  }
  alarm_->ring();
}

bool Outbox::has_room() const {
  const std::lock_guard lock(mutex_);
  return bytes_.size() + in_hand_ < kRoom;
}

std::size_t Outbox::waiting() const {
  const std::lock_guard lock(mutex_);
  return bytes_.size();
}

Outbox::Ending Outbox::ending() const {
  const std::lock_guard lock(mutex_);
  return ending_;
}

void Outbox::take(std::string& into) {
  const std::lock_guard lock(mutex_);
  if (into.empty()) {
    into = std::exchange(bytes_, {});
  } else {
    into += bytes_;
    bytes_.clear();
  }
  in_hand_ = into.size();
}

void Outbox::set_in_hand(std::size_t bytes) {
  bool has_room_again = false;
  {
    const std::lock_guard lock(mutex_);
    const bool was_full = bytes_.size() + in_hand_ >= kRoom;
    in_hand_ = bytes;
    has_room_again = was_full && bytes_.size() + in_hand_ < kRoom;
  }
  if (has_room_again) {
    tell();
  }
}

void Outbox::set_gone() {
  {
    const std::lock_guard lock(mutex_);
    bytes_ = {};
  }
  gone_ = true;
  tell();
}

void Outbox::when_changed(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  changed_ = std::move(call);
}

void Outbox::tell() {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex_);
    call = changed_;
  }
  if (call) {
    call();
  }
}

}  // namespace qanat
