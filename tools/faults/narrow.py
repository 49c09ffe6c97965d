"""Runs a program whose embedder gives vectors of half the dimensions, under the name that it always had:
`narrow MODULE ARGUMENTS`, as where somebody put other weights into the place of a model's."""

import runpy
import sys

import wordllama


def main() -> None:
    """Run what the arguments say."""
    load = wordllama.WordLlama.load

    def halved(*args: object, **settings: object) -> object:
        model = load(*args, **settings)
        model.embedding = model.embedding[:, : model.embedding.shape[1] // 2]
        return model

    wordllama.WordLlama.load = halved
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
