# The macros of this repository's BUILD files. Pants reads this file; it is not imported.

ENGINES = ("numpy", "jax", "torch", "tensorflow", "openvino")


def engine_tests(batch, name="tests", sources=("**/*_test.py",), engines=ENGINES, oldest=False, **kw):
    """The same test files once per engine; one pytest process for all of `batch` on one engine.

    Without engines the files run once, in one process.
    """
    kw.update(sources=list(sources), batch_compatibility_tag=batch)
    if oldest:
        # The oldest Python, on the lightest engine.
        python_tests(
            name=name + "39",
            interpreter_constraints=["==3.9.*"],
            extra_env_vars=["KERAS_BACKEND=numpy"],
            **kw
        )
    if engines:
        kw["extra_env_vars"] = parametrize(**{e: ["KERAS_BACKEND=" + e] for e in engines})
    python_tests(name=name, interpreter_constraints=["==3.11.*"], **kw)


def keras_library(name, may_import=(), engines=ENGINES, folder=None, split=()):
    """One library: sources, data, tests beside the sources, and the wheel.

    `may_import` names every library whose code this one (tests included) may import; any other
    first-party import is an error in `pants test` and `pants dependencies`.
    `split` names subfolders of the package whose tests get a process of their own per engine.
    """
    folder = folder or "libs/" + name
    below = [lib for lib in may_import]
    reach = ["//" + folder, "//" + folder + "/**"]
    for lib in below:
        reach += ["//libs/" + lib, "//libs/" + lib + "/**"]
    __dependencies_rules__(
        ({"type": "python_source*", "path": "//" + folder + "/" + name + "/**"}, *reach, "!*"),
        # Tests see no more than the library itself, plus the recorded facts.
        ({"type": "python_test*", "path": "//" + folder + "/" + name + "/**"}, *reach, "//*.*", "//spec/**", "!*"),
        ("*", "*"),  # the wheel, ...
    )
    code = [name + "/**/*.py", name + "/**/*.pyi"]
    tests = ["!" + name + "/**/*_test.py", "!" + name + "/**/conftest.py", "!" + name + "/**/conformance/**"]
    resources(
        name="data",
        sources=[name + "/**/*", "!**/*.py", "!**/*.pyi", "!**/*.pyc", "!**/BUILD", "!**/.*"],
    )
    # Modules are also found at run time, by name (lazy tables, plug-ins): a library's tests depend on the whole
    # of it and of what it stands on, not only on the modules that its import statements show.
    python_sources(name="src", sources=code + tests, dependencies=[":data"])
    # Suites that are generated from declarations: not in the wheel.
    python_test_utils(
        name="test_utils",
        sources=[name + "/**/conftest.py", name + "/**/conformance/**/*.py", "!**/*_test.py"],
    )
    whole = [":src", ":test_utils", *["//libs/" + lib + ":src" for lib in below]]
    apart = [name + "/" + part + "/**/*_test.py" for part in split]
    engine_tests(
        name,
        sources=[name + "/**/*_test.py", *["!" + glob for glob in apart]],
        engines=engines,
        oldest=True,
        dependencies=whole,
    )
    for part, glob in zip(split, apart):
        engine_tests(
            name + "." + part, name="tests_" + part, sources=[glob], engines=engines, oldest=True, dependencies=whole
        )
    resources(name="pyproject", sources=["pyproject.toml", "README.md", "LICENSE"])
    files(name="build_file", sources=["BUILD"])  # read by a test
    python_distribution(
        name="dist",
        dependencies=[":src", ":pyproject"],
        provides=python_artifact(name=name),
        generate_setup=False,
        sdist=False,
    )


LIBRARIES = ("kspec", "kops", "ksave", "klayers", "kdistribute", "ktrain", "kquant", "kexport", "kapps")


def cross_tests(batch, **kw):
    """Tests over all libraries: they run again when any library changes, so keep them few and fast."""
    kw.setdefault("engines", ())
    dependencies = ["//libs/" + lib + ":src" for lib in LIBRARIES] + ["//keras:src", "//spec:spec"]
    engine_tests(batch, dependencies=dependencies + kw.pop("dependencies", []), **kw)
