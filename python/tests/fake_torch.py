"""A torch of a hundred lines: what qanat.watch touches of the real one."""
import sys
import types


class Dataset:
    def __init__(self, rows, load=lambda index: index):
        self.rows, self._load = rows, load

    def __len__(self):
        return self.rows

    def __getitem__(self, index):
        return self._load(index)


class Fetcher:
    def __init__(self, dataset, collate_fn):
        self.dataset, self.collate_fn = dataset, collate_fn

    def fetch(self, rows):
        return self.collate_fn([self.dataset[row] for row in rows])


class DatasetKind:
    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        return Fetcher(dataset, collate_fn)


class Iterator:
    def __init__(self, loader):
        self._dataset_fetcher = Fetcher(loader.dataset, loader.collate_fn)
        self._left = iter(range(0, len(loader.dataset), loader.batch_size))
        self._loader = loader
        if loader.num_workers:  # as a worker process would
            if loader.worker_init_fn is not None:
                loader.worker_init_fn(0)
            self._dataset_fetcher = DatasetKind.create_fetcher(
                0, loader.dataset, True, loader.collate_fn, False)

    def __iter__(self):
        return self

    def __next__(self):
        first = next(self._left)
        last = min(first + self._loader.batch_size, len(self._loader.dataset))
        return self._dataset_fetcher.fetch(list(range(first, last)))


class DataLoader:
    def __init__(self, dataset, batch_size=1, num_workers=0, collate_fn=list, pin_memory=False,
                 persistent_workers=False, prefetch_factor=2):
        self.dataset, self.batch_size, self.num_workers = dataset, batch_size, num_workers
        self.collate_fn, self.pin_memory = collate_fn, pin_memory
        self.persistent_workers, self.prefetch_factor = persistent_workers, prefetch_factor
        self.worker_init_fn = None

    def __len__(self):
        return -(-len(self.dataset) // self.batch_size)

    def __iter__(self):
        return Iterator(self)


class Tensor:
    cost = staticmethod(lambda: None)  # a test may make backward take time

    def backward(self):
        type(self).cost()


class Optimizer:
    def __init__(self, *args):
        pass


class SGD(Optimizer):
    cost = staticmethod(lambda: None)

    def step(self, closure=None):
        loss = closure() if closure is not None else None
        type(self).cost()
        return "stepped" if closure is None else loss


class GradScaler:
    """Leaves steps out when it is told to."""

    def __init__(self):
        self.finds_inf = False

    def step(self, optimizer):
        return None if self.finds_inf else optimizer.step()


class Event:
    """On a device whose time the test turns: an event happens when the host records it, or when the
    device has finished what it was given before."""
    device_free_at = 0.0
    clock = None
    held = False

    def __init__(self, enable_timing=False):
        assert enable_timing
        self.at = None

    def record(self, stream=None):
        self.at = max(Event.clock.now, Event.device_free_at)

    def query(self):
        return not Event.held

    def synchronize(self):
        pass

    def elapsed_time(self, later):
        return 1000 * (later.at - self.at)


def make_torch(has_gpu=False):
    """A module with its parts, as `import torch` leaves them in sys.modules."""
    torch = types.ModuleType("torch")
    torch.__version__ = "0.0-fake"
    torch.Tensor = type("Tensor", (Tensor,), {"backward": Tensor.__dict__["backward"]})
    torch.grad_enabled = True
    torch.is_grad_enabled = lambda: torch.grad_enabled
    torch.saved = []
    torch.save = lambda thing, path: torch.saved.append(path)
    torch.optim = types.ModuleType("torch.optim")
    torch.optim.Optimizer, torch.optim.SGD = Optimizer, SGD
    torch.amp = types.SimpleNamespace(GradScaler=GradScaler)
    torch.utils = types.ModuleType("torch.utils")
    torch.utils.data = types.ModuleType("torch.utils.data")
    torch.utils.data.DataLoader = DataLoader
    torch.utils.data._DatasetKind = DatasetKind
    torch.cuda = types.SimpleNamespace(
        is_available=lambda: has_gpu, is_initialized=lambda: has_gpu, Event=Event,
        current_device=lambda: 0, current_stream=lambda device: device)
    return torch


def install(test, has_gpu=False):
    """For one test."""
    torch = make_torch(has_gpu)
    parts = {"torch": torch, "torch.optim": torch.optim, "torch.utils": torch.utils,
             "torch.utils.data": torch.utils.data}
    before = {name: sys.modules.get(name) for name in parts}

    def restore():
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module

    sys.modules.update(parts)
    test.addCleanup(restore)
    return torch
