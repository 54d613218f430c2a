/* slurm_submit COUNT THREADS: submits held batch jobs through Slurm's C API and prints how many a second. */
#include <pthread.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int per_thread;

static void* submit(void* unused) {
  char* environment[] = {"PATH=/usr/bin:/bin", NULL};
  for (int i = 0; i < per_thread; ++i) {
    job_desc_msg_t job;
    submit_response_msg_t* answer = NULL;
    slurm_init_job_desc_msg(&job);
    job.name = "bench";
    job.script = "#!/bin/sh\ntrue\n";
    job.environment = environment;
    job.env_size = 1;
    job.work_dir = "/tmp";
    job.std_out = job.std_err = "/dev/null";
    job.std_in = "/dev/null";
    job.priority = 0; /* held */
    job.user_id = 0;
    job.group_id = 0;
    job.min_cpus = 1;
    if (slurm_submit_batch_job(&job, &answer) != SLURM_SUCCESS) {
      slurm_perror("submit");
      exit(1);
    }
    slurm_free_submit_response_response_msg(answer);
  }
  return unused;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 2000;
  const int threads = argc > 2 ? atoi(argv[2]) : 16;
  pthread_t running[256];
  struct timespec begin, end;
  slurm_init(NULL);
  per_thread = count / threads;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < threads; ++i) pthread_create(&running[i], NULL, submit, NULL);
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  const double took = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
  printf("%.1f\n", per_thread * threads / took);
  return 0;
}
