// A team of threads that lives as long as one call: nothing outlasts the call, so a forked child and a second
// caller find nothing in their way. Its threads are started by the first work that has several items, as
// small calls may have none. Between two pieces of work its members spin briefly, then sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bough {

class Team {
 public:
  explicit Team(int n_members) : n_members_(n_members > 1 ? n_members : 1) {}
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return n_members_; }

  // Calls work(item, member) for every item in [0, n_items), each once, handed out in ascending order;
  // returns when all are done. The first exception thrown by a member is thrown here. The caller is member 0.
  void run(int n_items, const std::function<void(int item, int member)>& work);

 private:
  void start();
  void serve(int member);
  void take_items(int member);

  int n_members_;
  std::vector<std::thread> threads_;
  const std::function<void(int, int)>* work_ = nullptr;
  int n_items_ = 0;
  std::atomic<int> next_{0};
  std::atomic<int> busy_{0};
  std::atomic<std::uint32_t> round_{0};  // a new round wakes the members
  std::atomic<bool> stop_{false};
  std::mutex failure_lock_;
  std::exception_ptr failure_;
};

}  // namespace bough
