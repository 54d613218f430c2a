#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "jobspec/impl/foreign.h"

namespace ty::jobspec {

/// A reader that writes down where it found each part of the model, so that later checks can point
/// there whatever the dialect's nesting. What was never placed is shown at its role, else at the
/// document.
class PlacedReader : public ForeignReader {
 public:
  Ref locate(const Subject& subject) const override;

 protected:
  using ForeignReader::ForeignReader;

  void place(Part part, int role, Ref at) { places_[{role, part, "", Subject::kWhole}] = at; }
  void place_key(Part part, int role, std::string_view key, Ref at) {
    places_[{role, part, std::string(key), Subject::kWhole}] = at;
  }
  void place_item(Part part, int role, std::size_t index, Ref at) {
    places_[{role, part, "", index}] = at;
  }

  /// `yes no on off` too, quoted or not.
  bool read_bool(Ref map, std::string_view key, bool& out, std::string_view example);
  /// The list of maps under a key; complains about anything else and leaves out what is no map.
  std::vector<Ref> maps_in(Ref map, std::string_view key, std::string_view example);
  /// The map under a key, if it is there and one.
  Ref map_in(Ref map, std::string_view key, std::string_view example);
  /// A list of texts, or one text; bare scalars as they are written.
  bool read_texts(Ref map,
                  std::string_view key,
                  std::vector<std::string>& out,
                  std::string_view example);
  /// Known, but nothing here acts on it.
  void ignore(Ref map, std::string_view key, Message (*why)());
  void ignore_all(Ref map, std::initializer_list<std::string_view> keys, Message (*why)()) {
    for (const std::string_view key : keys) ignore(map, key, why);
  }
  /// Known, and leaving it out would change what the job does.
  void unsupported(Ref at, Message message) {
    report_.error_at_key(at, "unsupported", std::move(message));
  }

 private:
  struct Place {
    int role;
    Part part;
    std::string key;
    std::size_t index;
    auto operator<=>(const Place&) const = default;
  };
  const Ref* find(int role, Part part, std::string_view key, std::size_t index) const;
  std::map<Place, Ref> places_;
};

}  // namespace ty::jobspec
