// Named threads that leave signals to main.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace qanat {

// A jthread that carries `name` in debuggers and `top`, and in which every signal a program may
// handle (SIGINT, SIGTERM, ...) is blocked: they are delivered to the thread that waits for them.
// Destroying it requests stop and joins, so `body` has to return soon after its token is stopped.
std::jthread start_thread(std::string name, std::function<void(std::stop_token)> body);

// Keeps the calling thread on these cores; on any when there are none. Best effort: a container may
// forbid it.
void stay_on_cores(const std::vector<int>& cores);

}  // namespace qanat
