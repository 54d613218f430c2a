"""Stands in for a training program: reads where FfDL says the data is, writes where the results go."""
import os
import pathlib

result = pathlib.Path(os.environ["RESULT_DIR"])
print("learner", os.environ["LEARNER_ID"], "of", os.environ["NUM_LEARNERS"], "in", pathlib.Path.cwd().name)
for step in range(1, 4):
    print(f"Iteration {step} loss = {1 / step:.3f}")
(result / "model.txt").write_text("weights\n")
print("wrote model.txt for", os.environ["TRAINING_ID"][:9])
