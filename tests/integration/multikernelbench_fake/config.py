num_correct_trials = 5
seed_num = 7
