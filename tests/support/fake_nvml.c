/* A made-up libnvidia-ml.so.1: four GPUs in two NVLink pairs. FAKE_NVML_LOST names a file; a number in it is the GPU that has
   fallen off the bus. Only what Trainyard calls, by the documented signatures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned long long total, free, used; } Memory;
typedef struct { unsigned gpu, memory; } Utilization;
typedef struct { char old_bus_id[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; } PciInfo;

enum { COUNT = 4, SUCCESS = 0, INVALID = 2, LOST = 15 };
static int devices[COUNT] = {0, 1, 2, 3};

static int index_of(void* device) { return *(int*)device; }
static int lost(void* device) {
  const char* path = getenv("FAKE_NVML_LOST");
  FILE* file = path ? fopen(path, "r") : NULL;
  int broken = -1;
  if (file) {
    if (fscanf(file, "%d", &broken) != 1) broken = -1;
    fclose(file);
  }
  return broken == index_of(device);
}

int nvmlInit_v2(void) { return SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
int nvmlDeviceGetCount_v2(unsigned* count) { *count = COUNT; return SUCCESS; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= COUNT) return INVALID;
  *device = &devices[index];
  return SUCCESS;
}
int nvmlDeviceGetName(void* device, char* name, unsigned size) {
  (void)device;
  snprintf(name, size, "NVIDIA A100-SXM4-80GB");
  return SUCCESS;
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned size) {
  snprintf(uuid, size, "GPU-00000000-0000-0000-0000-00000000000%d", index_of(device));
  return SUCCESS;
}
int nvmlDeviceGetMinorNumber(void* device, unsigned* minor) { *minor = (unsigned)index_of(device); return SUCCESS; }
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
  if (lost(device)) return LOST;
  memory->total = 80ULL << 30;
  memory->used = (unsigned long long)(index_of(device) + 1) << 30;
  memory->free = memory->total - memory->used;
  return SUCCESS;
}
int nvmlDeviceGetUtilizationRates(void* device, Utilization* load) {
  load->gpu = 10u * (unsigned)index_of(device);
  load->memory = 0;
  return SUCCESS;
}
int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* celsius) {
  (void)sensor;
  *celsius = 40u + (unsigned)index_of(device);
  return SUCCESS;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) { (void)device; *milliwatts = 250000; return SUCCESS; }
int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info) {
  memset(info, 0, sizeof(*info));
  snprintf(info->bus_id, sizeof(info->bus_id), "00000000:0%d:00.0", index_of(device));
  return SUCCESS;
}
int nvmlDeviceGetNvLinkState(void* device, unsigned link, unsigned* active) {
  (void)device;
  *active = link == 0;
  return SUCCESS;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned link, PciInfo* info) {
  (void)link;
  memset(info, 0, sizeof(*info));
  snprintf(info->bus_id, sizeof(info->bus_id), "00000000:0%d:00.0", index_of(device) ^ 1);
  return SUCCESS;
}
const char* nvmlErrorString(int code) { return code == LOST ? "GPU is lost" : "error"; }
