/** A job that needs nothing but a shell: a loss that falls for some twenty seconds. */
export const sampleJob = `name: sample
description: A small job to look around with. Clone it and put your own command here.
run: |
  echo "Training on $(hostname) with $(nproc) CPUs"
  loss=2.300
  for step in $(seq 1 40); do
    loss=$(awk -v l=$loss 'BEGIN { printf "%.3f", l * 0.93 + 0.02 }')
    acc=$(awk -v s=$step 'BEGIN { printf "%.3f", 1 - exp(-s / 12) }')
    echo "step $step loss $loss acc $acc"
    sleep 0.5
  done
  echo "done"
`;
