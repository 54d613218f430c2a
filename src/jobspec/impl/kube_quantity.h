#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "jobspec/impl/quantity.h"

/// Amounts as Kubernetes writes them: `500m`, `1.5`, `1Gi`, `2e3`. Its own parser's grammar, except
/// that a unit without any digit (`Gi`) is refused where it reads zero.
namespace ty::jobspec {

/// What an amount is of: it decides what a refusal suggests.
enum class KubeKind : std::uint8_t { Cpu, Memory, Count };

/// In thousandths, rounded up.
Parsed<std::int64_t> parse_kube_milli(std::string_view text, KubeKind kind);
/// Rounded up to a whole; a fraction of a Count is refused.
Parsed<std::int64_t> parse_kube_whole(std::string_view text, KubeKind kind);

/// The shortest exact form: `2`, `500m`.
std::string format_kube_cpu(std::int64_t milli);
/// `16Gi`, `1536Mi`, `1000`.
std::string format_kube_bytes(std::int64_t bytes);

}  // namespace ty::jobspec
