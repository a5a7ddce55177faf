"""How each statistic of agreement is called, and in plain words what it says."""

from __future__ import annotations

SHARES = frozenset({"accuracy", "percent_agreement", "tpr", "tnr"})

MEANINGS: dict[str, tuple[str, str]] = {
    "accuracy": ("same value", "how often both say the same; high by chance where one value is common"),
    "kappa": ("Cohen κ", "agreement beyond chance: 1 is perfect, 0 is chance"),
    "kappa_linear": ("κ linear", "as κ, and near misses count in part"),
    "kappa_quadratic": ("κ quadratic", "as κ, and only far misses count much"),
    "ac1": ("Gwet AC1", "as κ, and steady where nearly all values are equal"),
    "alpha_nominal": ("α nominal", "Krippendorff's α: 1 is perfect, 0 is chance; equal or not"),
    "alpha_ordinal": ("α ordinal", "Krippendorff's α of the order of the values"),
    "alpha_interval": ("α interval", "Krippendorff's α of the distances"),
    "alpha_ratio": ("α ratio", "Krippendorff's α of the ratios"),
    "percent_agreement": ("same value", "how often two raters of one trace said the same"),
    "fleiss": ("Fleiss κ", "agreement beyond chance among all raters: 1 is perfect, 0 is chance"),
    "ac2_linear": ("Gwet AC2 linear", "as AC1, and near misses count in part"),
    "ac2_quadratic": ("AC2 quadratic", "as AC1, and only far misses count much"),
    "ac2_ordinal": ("AC2 ordinal", "as AC1, by the order of the values"),
    "mcc": ("MCC", "correlation of the categories: 1 is perfect, 0 is chance"),
    "tpr": ("TPR", "of what the others pass, the share that the scorer passes"),
    "tnr": ("TNR", "of what the others fail, the share that the scorer fails"),
    "brier": ("Brier", "mean squared error of the probabilities: 0 is perfect, always 0.5 gets 0.25"),
    "ece": ("ECE", "how far the probabilities are from the shares that pass, on average"),
    "pearson": ("Pearson r", "whether both rise together in a line; says nothing about being too high or low"),
    "spearman": ("Spearman ρ", "whether both put the traces in the same order"),
    "kendall": ("Kendall τ-b", "pairs of traces in the same order, less those in the opposite one"),
    "ccc": ("Lin CCC", "how near the values are to being equal; 1 is equal"),
    "mae": ("MAE", "the mean distance, in the unit of the score"),
    "mse": ("MSE", "the mean squared distance; a few large ones weigh most"),
    "rmse": ("RMSE", "its root, in the unit of the score"),
    "normalised_mae": ("MAE / range", "the mean distance as a part of the range"),
    "normalised_mse": ("MSE / range²", "the mean squared distance as a part of the squared range"),
    "bias": ("bias", "scorer less the others, on average: above 0 the scorer gives more"),
    "limit_low": ("lower limit", "95 % of the differences lie above this and below the next (Bland, Altman)"),
    "limit_high": ("upper limit", "the other end of the 95 %"),
}
"""How each statistic is called, and in plain words what it says."""
