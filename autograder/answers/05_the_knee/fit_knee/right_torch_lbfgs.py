import torch


def fit_knee(batch_sizes, steps):
    log_sizes = torch.tensor(np.array(batch_sizes, float)).log()
    log_steps = torch.tensor(np.array(steps, float)).log()
    parameters = torch.stack([log_steps.min(), log_sizes.mean()]).requires_grad_()
    optimizer = torch.optim.LBFGS([parameters], max_iter=500, tolerance_change=1e-14, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        law = parameters[0] + torch.nn.functional.softplus(parameters[1] - log_sizes)
        loss = ((log_steps - law) ** 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return parameters.exp()
