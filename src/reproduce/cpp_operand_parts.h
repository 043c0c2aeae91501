#pragma once
// Source text of the C++ programs: operands in memory, and the comparison of elements.

#include <string_view>

namespace indexfuzz {

inline constexpr std::string_view kCppEach = R"code(using Ints = std::vector<int64_t>;

// Calls f(row-major index, place in elements) for every element of a view.
template <typename F>
void each(const Ints& sizes, const Ints& strides, F f) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, place = 0;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) place += rest % sizes[d] * strides[d];
    f(i, place);
  }
}

std::string first_line(const char* text) {
  return std::string(text, strcspn(text, "\n"));
}
)code";

inline constexpr std::string_view kCppOperand = R"code(
constexpr int64_t kAtLastPage = -1;

// A view between inaccessible pages, flush with one of them; every byte that is not its own is a
// canary. So lies each of several slices, so many bytes apart, with nothing between them. Or the
// view is the end of a tensor with many more slices in front, which can be read.
struct Operand {
  const char* name;
  Ints sizes, strides;
  int64_t item, slices, apart, front, page = sysconf(_SC_PAGESIZE), room;
  unsigned char *begin, *data;
  at::Tensor tensor;
  std::vector<unsigned char> before;

  Operand(const char* name, at::ScalarType dtype, const void* values, Ints sizes,
          Ints strides, int64_t offset, int64_t extent, int canary, int64_t at,
          int64_t slices = 1, int64_t apart = 0, int64_t slices_in_front = 0)
      : name(name), sizes(sizes), strides(strides), item(c10::elementSize(dtype)), slices(slices), apart(apart),
        front(slices_in_front > 0 ? slices_in_front * strides[0] * item : 0) {
    const int64_t bytes = extent * item;
    room = (offset * item + bytes) / page * page + 2 * page;
    begin = static_cast<unsigned char*>(
                mmap(nullptr, mapped(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) +
            page + front_pages();
    if (front > 0) mprotect(begin - front_pages(), front_pages(), PROT_READ);
    protect(PROT_READ | PROT_WRITE);
    each_slice([&](unsigned char* slice) { memset(slice, canary, room); });
    // The storage begins at a multiple of 64, as storages do.
    data = at == kAtLastPage ? begin + room - bytes - (room - bytes - offset * item) % 64 : begin + at;
    put(values);
    before = now();
    // The storage begins before the view, perhaps in the inaccessible page: nobody may
    // touch that part.
    Ints all = sizes;
    if (slices_in_front > 0) all[0] += slices_in_front;
    tensor = at::from_blob(
        data - offset * item - front, all, strides, offset, [](void*) {},
        at::TensorOptions().dtype(dtype), c10::nullopt);
  }
  void put(const void* values) {
    each(sizes, strides, [&](int64_t i, int64_t place) {
      memcpy(data + place * item, static_cast<const char*>(values) + i * item, item);
    });
  }
  Operand(const Operand&) = delete;
  ~Operand() { munmap(begin - front_pages() - page, mapped()); }
  int64_t front_pages() const { return (front + page - 1) / page * page; }
  int64_t mapped() const { return (slices - 1) * apart + front_pages() + room + 2 * page; }
  template <typename F>
  void each_slice(F f) const {
    for (int64_t i = 0; i < slices; ++i) f(begin + i * apart);
  }
  void protect(int protection) const {
    each_slice([&](unsigned char* slice) { mprotect(slice, room, protection); });
  }
  std::vector<unsigned char> now() const {
    std::vector<unsigned char> bytes;
    each_slice([&](unsigned char* slice) { bytes.insert(bytes.end(), slice, slice + room); });
    return bytes;
  }
  bool changed() const { return now() != before; }
  void make_resizable() {
    c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    storage->set_allocator(c10::GetAllocator(c10::DeviceType::CPU));
    storage->set_resizable(true);
  }
};
)code";

/// Goes after the definition of `kDevice`.
inline constexpr std::string_view kCppGpuOperand = R"code(
// A view in the memory of a GPU; every byte around it that is not its own is a canary.
struct Operand {
  const char* name;
  Ints sizes, strides;
  int64_t item, place;
  at::Tensor memory, tensor;
  std::vector<unsigned char> before;

  Operand(const char* name, at::ScalarType dtype, const void* values, Ints sizes,
          Ints strides, int64_t offset, int64_t extent, unsigned char canary)
      : name(name), sizes(sizes), strides(strides), item(c10::elementSize(dtype)) {
    const int64_t align = 512;
    place = align + offset * item;
    before.assign(place + extent * item + align, canary);
    put(before, values);
    memory = at::empty({static_cast<int64_t>(before.size())},
                       at::TensorOptions().dtype(at::kByte).device(kDevice));
    memory.copy_(on_host(before));
    tensor = at::from_blob(
        memory.mutable_data_ptr<uint8_t>() + align, sizes, strides, offset,
        [](void*) {}, at::TensorOptions().dtype(dtype).device(kDevice), kDevice);
  }
  static at::Tensor on_host(std::vector<unsigned char>& bytes) {
    return at::from_blob(bytes.data(), {static_cast<int64_t>(bytes.size())}, at::kByte);
  }
  void put(std::vector<unsigned char>& bytes, const void* values) const {
    each(sizes, strides, [&](int64_t i, int64_t at) {
      memcpy(bytes.data() + place + at * item, static_cast<const char*>(values) + i * item, item);
    });
  }
  std::vector<unsigned char> now() const {
    const at::Tensor host = memory.cpu();
    const unsigned char* bytes = host.const_data_ptr<uint8_t>();
    return {bytes, bytes + host.numel()};
  }
  void put(const void* values) {
    std::vector<unsigned char> bytes = now();
    put(bytes, values);
    memory.copy_(on_host(bytes));
  }
  bool changed() const { return now() != before; }
  void make_resizable() {
    c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    storage->set_allocator(c10::GetAllocator(c10::DeviceType::CUDA));
    storage->set_resizable(true);
  }
};

// A GPU tells of an error in a kernel only when somebody waits for it, and of one that a launch left behind at the
// next launch.
void wait_for_gpu() {
  c10::impl::VirtualGuardImpl(kDevice.type()).synchronizeDevice(kDevice.index());
  at::empty({1}, at::TensorOptions().device(kDevice)).fill_(1);
}

bool says(const char* error, std::initializer_list<const char*> texts) {
  for (const char* text : texts)
    if (strstr(error, text) != nullptr) return true;
  return false;
}

// Whether a kernel ended by an assertion or a trap, as kernels refuse arguments.
bool is_device_assertion(const char* error) {
  return says(error, {"device-side assert triggered", "illegal instruction",
                      "unspecified launch failure"});
}

bool is_fault(const char* error) {
  return says(error, {"illegal memory access", "misaligned address", "address space",
                      "program counter", "stack error"});
}
)code";

inline constexpr std::string_view kCppCompare = R"code(
// Whether an element is right: the same bits, or NaN in the same parts.
bool same(const unsigned char* a, const unsigned char* b) {
  for (size_t part = 0; part < kItem; part += sizeof(Part)) {
    uint64_t x = 0, y = 0;
    memcpy(&x, a + part, sizeof(Part));
    memcpy(&y, b + part, sizeof(Part));
    const auto nan = [](uint64_t bits) {
      return kInfinity != 0 && (bits & ~(uint64_t{1} << (8 * sizeof(Part) - 1))) > kInfinity;
    };
    if (x != y && !(nan(x) && nan(y))) return false;
  }
  return true;
}

double part_value(const unsigned char* bytes) {
  Part part;
  memcpy(&part, bytes, sizeof part);
  return static_cast<double>(part);
}

std::string text(const std::vector<unsigned char>& elements) {
  std::ostringstream out;
  out << std::setprecision(17);
  for (size_t at = 0; at < elements.size() && at < 64 * sizeof(Part); at += sizeof(Part)) {
    Part part;
    memcpy(&part, elements.data() + at, sizeof part);
    out << (at == 0 ? "" : ", ");
    if constexpr (std::is_integral_v<Part>)
      out << +part;
    else
      out << static_cast<double>(part);
  }
  return out.str();
}

std::vector<unsigned char> elements_of(const at::Tensor& tensor) {
  const at::Tensor host = tensor.cpu();
  std::vector<unsigned char> elements(host.numel() * kItem);
  each(host.sizes().vec(), host.strides().vec(), [&](int64_t i, int64_t place) {
    memcpy(elements.data() + i * kItem,
           static_cast<const unsigned char*>(host.const_data_ptr()) + place * (int64_t)kItem,
           kItem);
  });
  return elements;
}
)code";

inline constexpr std::string_view kCppNumber = R"code(
/// An argument that is no tensor, from its bytes.
template <class T>
T number(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
)code";

/// Continues the `if` in which compare_elements() asks for a wrong shape or dtype; where both are
/// right, compares the elements.
inline constexpr std::string_view kCppElements = R"code(      wrong = "shape or dtype";
    } else {
      const std::vector<unsigned char> elements = elements_of(actual);
      const unsigned char* right = reinterpret_cast<const unsigned char*>(expected_values);
      const unsigned char* choices = reinterpret_cast<const unsigned char*>(choice_values);
      printf("expected: %s\nactual:   %s\n", text({right, right + elements.size()}).c_str(), text(elements).c_str());
      for (size_t i = 0; i < elements.size() / kItem; ++i) {
        const unsigned char* element = elements.data() + i * kItem;
        bool good = same(element, right + i * kItem);
        for (size_t j = 0; j < kChoices && !good; ++j) {
          good = choice_elements[j] == (int64_t)i && same(element, choices + j * kItem);
        }
        if (!good && i < kTolerances && tolerances[i] > 0)
          good = std::abs(part_value(element) - part_value(right + i * kItem)) <= tolerances[i];
        if (!good) wrong = "element " + std::to_string(i) + " (row-major)";
      }
    }
)code";

}  // namespace indexfuzz
