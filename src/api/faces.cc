#include "api/faces.h"

#include "api/site/face.h"
#include "api/v1/face.h"

namespace ty::api {

// A new face is a folder beside v1/ and a line here.
std::span<const Face* const> faces() {
  static const Face* const kFaces[] = {
      &v1::face(),
      &site::face(),
  };
  return kFaces;
}

}  // namespace ty::api
