from copy import deepcopy


def wrong_rows(rows):
    rows = deepcopy(rows)
    while rows:
        row = rows.pop()
        model = row.pop("model")
        differences = [abs(row[key] / row["published" + key[7:]] - 1) for key in row if key.startswith("printed")]
        if max(differences) > 0.1:
            return wrong_rows(rows) | {model}
    return set()
