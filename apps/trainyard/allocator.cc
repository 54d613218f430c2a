/// How jemalloc, which the program is linked with, is to behave: read by it before main().
///
/// Few arenas, as our threads are few and mostly wait; what was freed goes back to the machine
/// within a second, as the machine belongs to the jobs.
extern "C" {
extern const char* const malloc_conf;  // NOLINT(readability-identifier-naming): jemalloc's word
const char* const malloc_conf = "narenas:4,dirty_decay_ms:1000,muzzy_decay_ms:0";
}
