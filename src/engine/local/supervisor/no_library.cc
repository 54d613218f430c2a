#include <cstdlib>

// The one function of libstdc++ that std::string_view refers to. Linking the library for it would
// triple the program; every substr() here starts inside its text.
namespace std {
void __throw_out_of_range_fmt(const char*, ...) { abort(); }
}  // namespace std
