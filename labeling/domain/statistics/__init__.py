"""Agreement between reviewers, its uncertainty, and how many defects both may have missed.

Every coefficient is a function of count tables that add up over cases, so one value and its resampled
interval run through the same code. No module of the web process's start-up path may import these: they load
numpy, some scipy. Undefined is `None` with a reason (`measures`), never 0, 1 or NaN.

measures   values that may be undefined, and when a value is too thin to be shown
tables     counts from ratings, raw and specific agreement
kappa      Cohen, weighted, Scott, Brennan-Prediger, Fleiss, Conger, Light
gwet       AC1 and AC2
alpha      Krippendorff's alpha with its metrics
unitizing  Krippendorff's alpha for spans
existence  detection F1
place      how far apart paired findings lie
intervals  intervals of shares: Wilson, exact, with clusters, paired
resampling bootstrap by case, BCa and percentile
paired     two raters or tools on the same cases: McNemar, sign flip, Holm
capture    how many defects nobody found
latent     Dawid-Skene
study      every number of one agreement page
"""
