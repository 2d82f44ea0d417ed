"""Arrays in the memory of a GPU, with CuPy and PyTorch. Skipped without a GPU or without these libraries."""

from __future__ import annotations

import doctest
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

cupy: Any = pytest.importorskip("cupy")
try:
    _count = cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError as error:
    pytest.skip(f"no GPU: {error}", allow_module_level=True)

TYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"]


def numbers(dtype: str, size: int, seed: int = 1) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(seed)
    if dtype[0] == "f":
        x = random.standard_normal(size).astype(dtype)
        if size > 10:
            x[:4] = [np.inf, -np.inf, 0.0, -0.0]
        return x
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, size, dtype=dtype, endpoint=True)


def on_host(array: Any) -> np.ndarray[Any, Any]:
    return cupy.asnumpy(cupy.asarray(array))


def slow_copy(target: Any, source: Any) -> None:
    """Enqueue work of some ten milliseconds on the current stream, and then copy `source` to `target`."""
    work = cupy.ones((4096, 4096), cupy.float32)
    for _ in range(20):
        work = work @ work * 1e-4
    target[...] = source


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [0, 1, 2, 1000, 300_000])
@pytest.mark.parametrize("descending", [False, True])
def test_sorts_equal_those_of_the_host(dtype: str, size: int, descending: bool) -> None:
    x = numbers(dtype, size)
    d_x = cupy.asarray(x)
    expected = weft.sort(x, descending=descending)
    result = weft.sort(d_x, descending=descending)
    assert isinstance(result, weft.DeviceArray) and result.dtype == x.dtype and len(result) == size
    assert on_host(result).tobytes() == expected.tobytes()
    assert result.to_numpy().tobytes() == expected.tobytes()
    np.testing.assert_array_equal(cupy.asnumpy(d_x), x)
    np.testing.assert_array_equal(on_host(weft.argsort(d_x, descending=descending)), weft.argsort(x, descending=descending))
    assert weft.is_sorted(result, descending=descending)
    assert weft.is_sorted(d_x, descending=descending) == weft.is_sorted(x, descending=descending)
    np.testing.assert_array_equal(on_host(weft.top_k(d_x, 10)), weft.top_k(x, 10))
    if size > 0:
        offsets = np.array(sorted({0, size // 3, size // 2, size}), np.uint64)
        segments = weft.segmented_sort(d_x, cupy.asarray(offsets), descending=descending)
        assert on_host(segments).tobytes() == weft.segmented_sort(x, offsets, descending=descending).tobytes()
    same = weft.sort(d_x, out=d_x, descending=descending)
    assert same is d_x
    assert cupy.asnumpy(d_x).tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("values_dtype", ["u1", "i2", "f4", "f8"])
def test_sort_by_key(dtype: str, values_dtype: str) -> None:
    keys, values = numbers(dtype, 5000), numbers(values_dtype, 5000, 2)
    expected = weft.sort_by_key(keys, values)
    result = weft.sort_by_key(cupy.asarray(keys), cupy.asarray(values))
    for one, other in zip(result, expected):
        assert on_host(one).tobytes() == other.tobytes()


def test_results_are_read_by_other_libraries() -> None:
    x = numbers("i4", 1000)
    result = weft.sort(cupy.asarray(x))
    torch = pytest.importorskip("torch")
    tensor = torch.from_dlpack(result)
    assert tensor.is_cuda
    np.testing.assert_array_equal(tensor.cpu().numpy(), np.sort(x))
    with pytest.raises(BufferError, match="without a copy"):
        result.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="without a copy"):
        result.__dlpack__(dl_device=(1, 0))
    del result
    np.testing.assert_array_equal(tensor.cpu().numpy(), np.sort(x))
    numba = pytest.importorskip("numba.cuda")
    again = numba.as_cuda_array(weft.sort(cupy.asarray(x)))
    np.testing.assert_array_equal(again.copy_to_host(), np.sort(x))
    np.testing.assert_array_equal(on_host(weft.sort(weft.sort(cupy.asarray(x)), descending=True)), np.sort(x)[::-1])


def test_an_array_that_is_still_being_written() -> None:
    x = numbers("u8", 1 << 20)
    source = cupy.asarray(x)
    target = cupy.zeros_like(source)
    cupy.cuda.Device().synchronize()
    for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream()):
        target[...] = 0
        cupy.cuda.Device().synchronize()
        with stream:  # weft orders its work behind that of the stream
            slow_copy(target, source)
            result = weft.sort(target)
        np.testing.assert_array_equal(on_host(result), np.sort(x))
        target[...] = 0
        cupy.cuda.Device().synchronize()
        with stream:  # weft works on the stream itself
            slow_copy(target, source)
            weft.sort(target, out=target, stream=stream)
            copied = target.copy()
        stream.synchronize()
        np.testing.assert_array_equal(cupy.asnumpy(copied), np.sort(x))
        target[...] = 0
        cupy.cuda.Device().synchronize()
        other = cupy.cuda.Stream(non_blocking=True)
        with stream:  # weft works on another stream, which waits for this one
            slow_copy(target, source)
            result = weft.sort(target, stream=other.ptr)
        with other:
            copied = cupy.asarray(result).copy()
        other.synchronize()
        np.testing.assert_array_equal(cupy.asnumpy(copied), np.sort(x))


def test_tensors_of_pytorch_on_other_streams() -> None:
    torch = pytest.importorskip("torch")
    x = torch.randint(-(1 << 40), 1 << 40, (1 << 20,))
    source = x.cuda()
    expected = x.sort().values
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        work = torch.ones(4096, 4096, device="cuda")
        for _ in range(20):
            work = work @ work * 1e-4
        target = source + (work[0, 0] * 0).long()
        by_default = weft.sort(target)
        on_stream = torch.from_dlpack(weft.sort(target, stream=stream))
    stream.synchronize()
    assert torch.equal(torch.from_dlpack(by_default).cpu(), expected)
    assert torch.equal(on_stream.cpu(), expected)


def test_a_sort_is_captured_in_a_graph() -> None:
    torch = pytest.importorskip("torch")
    x = torch.zeros(1 << 18, dtype=torch.int64, device="cuda")
    warm_up = torch.cuda.Stream()
    with torch.cuda.stream(warm_up):
        weft.sort(x, out=x, stream=warm_up)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        weft.sort(x, out=x, stream=torch.cuda.current_stream())
    for seed in range(3):
        torch.manual_seed(seed)
        data = torch.randint(-(1 << 60), 1 << 60, x.shape)
        x.copy_(data)
        graph.replay()
        assert torch.equal(x.cpu(), data.sort().values)


def test_arrays_of_a_gpu_are_never_moved_to_the_host() -> None:
    x = cupy.zeros(10, cupy.uint8)
    for call in (weft.sort, weft.suffix_array, weft.bwt, lambda a, **run: weft.lcs_length(a, a, **run)):
        with pytest.raises(ValueError, match="GPU"):
            call(x, device="cpu")
    with pytest.raises(ValueError, match="same device"):
        weft.lcs_length(x, b"AC")
    with pytest.raises(TypeError, match="float16"):
        weft.sort(cupy.zeros(3, cupy.float16))
    with pytest.raises(ValueError, match="one dimension"):
        weft.sort(cupy.zeros((2, 2)))
    with pytest.raises(ValueError, match="contiguous"):
        weft.sort(cupy.zeros(10)[::2])
    with pytest.raises(TypeError, match="stream"):
        weft.sort(x, stream="main")
    for call in (weft.sort, weft.argsort, lambda a, **run: weft.edit_distance(a, a, **run)):
        with pytest.raises(weft.InputError, match="leave out engine"):
            call(x, engine="merge")
    with pytest.raises(weft.UnavailableError, match="uint32"):
        weft.lcs_length(x.astype(cupy.uint32), x.astype(cupy.uint32))
    with pytest.raises(ValueError, match="index_type"):
        weft.suffix_array(x, index_type="int64")


def texts(size: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    random = np.random.default_rng(3)
    a = random.choice(np.frombuffer(b"ACGT", np.uint8), size)
    b = np.delete(a, random.integers(0, size, size // 20))
    return a, b


@pytest.mark.parametrize("size", [1, 500, 20_000])
def test_comparisons(size: int) -> None:
    a, b = texts(size)
    d_a, d_b = cupy.asarray(a), cupy.asarray(b)
    for function in (weft.lcs_length, weft.indel_distance, weft.edit_distance):
        assert function(d_a, d_b) == function(a, b, device="cpu")
        assert function(a, b, device="gpu") == function(a, b, device="cpu")
    for metric in ("lcs", "edit"):
        assert weft.align(d_a, d_b, metric=metric) == weft.align(a, b, metric=metric, device="cpu")  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", ["lcs", "indel", "edit"])
@pytest.mark.parametrize("condensed", [False, True])
def test_all_pairs(metric: Any, condensed: bool) -> None:
    random = np.random.default_rng(4)
    sizes = random.integers(0, 400, 40)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    data = random.choice(np.frombuffer(b"ACGT", np.uint8), int(offsets[-1]))
    expected = weft.all_pairs((data, offsets), metric=metric, condensed=condensed, device="cpu")
    result = weft.all_pairs((cupy.asarray(data), cupy.asarray(offsets)), metric=metric, condensed=condensed)
    assert result.shape == expected.shape
    np.testing.assert_array_equal(on_host(result), expected)
    np.testing.assert_array_equal(result.to_numpy(), expected)  # type: ignore[attr-defined]


@pytest.mark.parametrize("size", [0, 1, 1000, 200_000])
def test_transforms(size: int) -> None:
    text = np.random.default_rng(5).integers(0, 5, size, np.uint8)
    d_text = cupy.asarray(text)
    sa = weft.suffix_array(text, device="cpu")
    d_sa = weft.suffix_array(d_text)
    np.testing.assert_array_equal(on_host(d_sa), sa)
    for dtype in ("u4", "i4", "u8", "i8"):
        lcp = on_host(weft.lcp_array(d_text, cupy.asarray(sa.astype(dtype))))
        expected_lcp = weft.lcp_array(text, sa.astype(dtype), device="cpu")
        assert lcp.dtype == expected_lcp.dtype
        np.testing.assert_array_equal(lcp, expected_lcp)
    for form in ("sentinel", "rotation"):
        expected = weft.bwt(text, form=form, device="cpu")  # type: ignore[arg-type]
        found = weft.bwt(d_text, form=form)  # type: ignore[arg-type]
        assert found.primary_index == expected.primary_index
        np.testing.assert_array_equal(on_host(found.data), expected.data)
        np.testing.assert_array_equal(on_host(found.inverse()), text)
    for dtype in ("u2", "u4"):
        wide = text.astype(dtype) * 200
        np.testing.assert_array_equal(on_host(weft.suffix_array(cupy.asarray(wide))), weft.suffix_array(wide, device="cpu"))


def test_searches() -> None:
    random = np.random.default_rng(6)
    reference = random.choice(np.frombuffer(b"ACGT", np.uint8), 100_000)
    index = weft.FMIndex.build([reference[:60_000], reference[60_000:]], alphabet="dna")
    starts = random.integers(0, 50_000, 2000)
    patterns = [reference[s : s + 12].tobytes() for s in starts]
    offsets = np.arange(0, 12 * len(patterns) + 1, 12, dtype=np.uint64)
    data = np.frombuffer(b"".join(patterns), np.uint8)
    on_gpu = (cupy.asarray(data), cupy.asarray(offsets))
    np.testing.assert_array_equal(on_host(index.count(on_gpu)), index.count(patterns, device="cpu"))
    expected = index.locate(patterns, device="cpu")
    for hits in (index.locate(on_gpu), index.locate(on_gpu)):
        for name in ("record", "begin", "offsets", "totals"):
            np.testing.assert_array_equal(on_host(getattr(hits, name)), getattr(expected, name))
    limited = index.locate(on_gpu, max_hits=1)
    np.testing.assert_array_equal(on_host(limited.totals), expected.totals)
    with pytest.raises(ValueError, match="both_strands"):
        index.count(on_gpu, both_strands=True)
    for call in (index.count, index.locate):
        with pytest.raises(weft.InputError, match="leave out engine"):
            call(on_gpu, engine="fm-index")


def test_scans() -> None:
    random = np.random.default_rng(7)
    letters = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)
    offsets = np.concatenate([[0], np.cumsum(random.integers(0, 900, 100))]).astype(np.uint64)
    data = random.choice(letters, int(offsets[-1]))
    motifs = weft.Motifs(["N-{P}-[ST]-{P}", "R-G-D", "[ST]-x(2)-[DE]"])
    expected = weft.scan(motifs, (data, offsets), device="cpu")
    found = weft.scan(motifs, (cupy.asarray(data), cupy.asarray(offsets)))
    assert len(expected) > 100
    for name in ("sequence", "motif", "begin", "end", "strand"):
        np.testing.assert_array_equal(on_host(getattr(found, name)), getattr(expected, name))
        np.testing.assert_array_equal(getattr(found, name).to_numpy(), getattr(expected, name))


def test_arrays_of_the_host_on_the_gpu() -> None:
    x = numbers("f8", 100_000)
    np.testing.assert_array_equal(weft.sort(x, device="gpu"), np.sort(x))
    text = np.random.default_rng(5).integers(0, 5, 100_000, np.uint8)
    np.testing.assert_array_equal(weft.suffix_array(text, device="gpu"), weft.suffix_array(text, device="cpu"))
    with pytest.raises(ValueError, match="stream"):
        weft.sort(x, stream=1)


def test_wrong_offsets_are_refused() -> None:
    data = cupy.zeros(10, cupy.uint8)
    index = weft.FMIndex.build(["GATTACA"], alphabet="dna")
    motifs = weft.Motifs(["N-{P}-[ST]-{P}"])
    for offsets in ([0, 10**9], [0, 7, 3, 10], [1, 10], [0, 9]):
        batch = (data, cupy.asarray(offsets, cupy.uint64))
        for call in (index.count, index.locate, weft.all_pairs, lambda seqs: weft.scan(motifs, seqs)):
            with pytest.raises(ValueError, match="offsets"):
                call(batch)
    assert int(data.sum()) == 0  # the device still works


def test_out_may_overlap_the_array() -> None:
    x = numbers("u4", 1000)
    d_x = cupy.asarray(x)
    weft.sort(d_x[:-1], out=d_x[1:])
    np.testing.assert_array_equal(cupy.asnumpy(d_x[1:]), np.sort(x[:-1]))


def test_progress_and_a_stream_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="progress"):
        weft.sort(cupy.zeros(3), stream=cupy.cuda.Stream(), progress=print)


def test_a_matrix_of_no_sequences() -> None:
    result = weft.all_pairs((cupy.zeros(0, cupy.uint8), cupy.zeros(1, cupy.uint64)))
    assert result.shape == (0, 0)


def test_the_examples_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = Path(__file__).resolve().parents[2]
    shutil.copytree(checkout / "examples" / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    page = (checkout / "docs" / "python.md").read_text()
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(page):
        exec(compile(example.source, "python.md", "single"), names)
    blocks = [block for block in page.split("```python\n")[1:] if "import cupy" in block]
    assert blocks
    for block in blocks:
        exec(compile(block.split("```")[0], "python.md", "exec"), names)
    np.testing.assert_array_equal(on_host(names["begins"])[:1], [686])
