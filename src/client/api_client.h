#pragma once
#include "client/generated/operations.h"
#include "client/transport.h"

namespace ty::client {

/// Our end of contract/openapi.yaml: `api.show_job(id)`, `api.stop_job(id)`, …
class ApiClient : public Operations {
 public:
  explicit ApiClient(Credentials credentials)
      : Operations(transport_), transport_(std::move(credentials)) {}

  const Credentials& credentials() const { return transport_.credentials(); }

 private:
  Transport transport_;
};

}  // namespace ty::client
