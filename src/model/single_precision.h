// Switches autocast off for the calling thread while the scope lasts.
#pragma once

namespace qanat {

class SinglePrecision {
 public:
  SinglePrecision();
  SinglePrecision(const SinglePrecision&) = delete;
  SinglePrecision& operator=(const SinglePrecision&) = delete;
  ~SinglePrecision();

 private:
  bool gpu_before_;
  bool cpu_before_;
};

}  // namespace qanat
