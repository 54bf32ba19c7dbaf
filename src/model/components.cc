// Tarjan's algorithm on an explicit stack.
#include "model/components.h"

#include <algorithm>

namespace onnx_shapes {
namespace {

class Components {
 public:
  using Visit = std::function<void(std::span<const uint32_t>, bool)>;

  Components(uint32_t count, const std::vector<Dependency>& dependencies, const Visit& visit)
      : visit_(visit),
        first_(count + 1),
        targets_(dependencies.size()),
        order_(count),
        low_(count) {
    for (const Dependency& d : dependencies) ++first_[d.from + 1];
    for (uint32_t i = 0; i < count; ++i) first_[i + 1] += first_[i];
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    for (const Dependency& d : dependencies) targets_[next[d.from]++] = d.on;
  }

  void run() {
    for (uint32_t root = 0; root + 1 < first_.size(); ++root) {
      if (order_[root] == 0) explore(root);
    }
  }

 private:
  static constexpr uint32_t kDone = UINT32_MAX;
  struct Frame {
    uint32_t member;
    size_t next;  // index into targets_
  };

  void open(uint32_t member) {
    order_[member] = low_[member] = ++counter_;
    pending_.push_back(member);
    frames_.push_back({member, first_[member]});
  }

  void explore(uint32_t root) {
    open(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const uint32_t member = frame.member;
      if (frame.next < first_[member + 1]) {
        const uint32_t target = targets_[frame.next++];
        if (order_[target] == 0) {
          open(target);
        } else if (order_[target] != kDone) {
          low_[member] = std::min(low_[member], order_[target]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        uint32_t& above = low_[frames_.back().member];
        above = std::min(above, low_[member]);
      }
      if (low_[member] == order_[member]) close(member);
    }
  }

  // Everything pending from `member` on is one component.
  void close(uint32_t member) {
    size_t begin = pending_.size();
    do {
      --begin;
      order_[pending_[begin]] = low_[pending_[begin]] = kDone;
    } while (pending_[begin] != member);
    const std::span<uint32_t> component(pending_.begin() + static_cast<std::ptrdiff_t>(begin),
                                        pending_.end());
    std::sort(component.begin(), component.end());
    const auto edges =
        std::span(targets_).subspan(first_[member], first_[member + 1] - first_[member]);
    const bool cyclic =
        component.size() > 1 || std::find(edges.begin(), edges.end(), member) != edges.end();
    visit_(component, cyclic);
    pending_.resize(begin);
  }

  const Visit& visit_;
  std::vector<size_t> first_;
  std::vector<uint32_t> targets_;
  std::vector<uint32_t> order_;  // 0: not seen; kDone: its component is closed
  std::vector<uint32_t> low_;
  std::vector<uint32_t> pending_;
  std::vector<Frame> frames_;
  uint32_t counter_ = 0;
};

}  // namespace

void visit_components(uint32_t count, const std::vector<Dependency>& dependencies,
                      const std::function<void(std::span<const uint32_t>, bool)>& visit) {
  Components(count, dependencies, visit).run();
}

}  // namespace onnx_shapes
