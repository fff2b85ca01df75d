"""Recognise handwritten digits, from the raw images to pictures of the result, on whichever engine KERAS_BACKEND names.

    python examples/digits.py                 train, save digits.keras, draw curves.png and digits.png
    python examples/digits.py --predict FILE  load a saved model and print its probabilities' checksum

After training, a second process on every installed engine loads the file and predicts; all must agree within 1e-4.
"""

import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys

import numpy as np

ENGINES = {"numpy": "numpy", "jax": "jax", "torch": "torch", "tensorflow": "tensorflow", "openvino": "openvino"}


def load_digits():
    """1797 images of 8x8 grey values from 0 to 16, split into train, validation and test."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = digits.images[..., None].astype("float32")
    labels = digits.target.astype("int32")
    order = np.random.default_rng(7).permutation(len(images))
    train, val, test = np.split(order, [1200, 1400])
    return [(images[part], labels[part]) for part in (train, val, test)]


def build_model(images):
    import keras
    from keras import layers

    normalize = layers.Normalization(axis=None, name="normalize")
    normalize.adapt(images)
    inputs = keras.Input((8, 8, 1), name="image")
    x = normalize(inputs)
    x = layers.RandomRotation(0.03, fill_mode="nearest")(x)
    for filters in (32, 64):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization()(x)
        x = layers.ReLU()(x)
    x = layers.MaxPooling2D()(x)
    x = layers.Flatten()(x)
    x = layers.Dropout(0.4)(x)
    x = layers.Dense(128, activation="relu")(x)
    outputs = layers.Dense(10, activation="softmax", name="probability")(x)
    return keras.Model(inputs, outputs, name="digits")


def train(out, epochs):
    import keras

    keras.utils.set_random_seed(1)
    (x_train, y_train), (x_val, y_val), (x_test, y_test) = load_digits()
    model = build_model(x_train)
    model.summary()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(
        x_train,
        y_train,
        batch_size=32,
        epochs=epochs,
        validation_data=(x_val, y_val),
        callbacks=[
            keras.callbacks.ReduceLROnPlateau("val_loss", factor=0.5, patience=4),
            keras.callbacks.EarlyStopping("val_loss", patience=12, restore_best_weights=True),
            keras.callbacks.ModelCheckpoint(str(out / "best.keras"), monitor="val_accuracy", save_best_only=True),
        ],
    )
    loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print(f"{keras.config.backend()}: test loss {loss:.4f}, test accuracy {accuracy:.4f}")
    model.save(out / "digits.keras")
    probabilities = model.predict(x_test, verbose=0)
    np.save(out / "probabilities.npy", probabilities)
    draw_curves(history.history, out / "curves.png")
    draw_digits(x_test, y_test, probabilities, out / "digits.png")
    return accuracy


def draw_curves(history, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    for axis, key in zip(axes, ("loss", "accuracy")):
        steps = range(1, len(history[key]) + 1)
        axis.plot(steps, history[key], label="training")
        axis.plot(steps, history[f"val_{key}"], label="validation")
        axis.set_xlabel("epoch")
        axis.set_title(key)
        axis.grid(alpha=0.3)
        axis.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def draw_digits(images, labels, probabilities, path, rows=4, columns=8):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(rows, columns, figsize=(columns * 1.1, rows * 1.3), layout="constrained")
    for axis, image, label, p in zip(axes.flat, images, labels, probabilities):
        guess = int(p.argmax())
        axis.imshow(image[..., 0], cmap="gray_r")
        axis.set_title(f"{guess} ({p[guess]:.0%})", fontsize=9, color="black" if guess == label else "red")
        axis.axis("off")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def predict(path):
    """What the second process does: load the file, predict the test images, compare with what training saw."""
    import keras

    model = keras.saving.load_model(path)
    (x_test, _) = load_digits()[2]
    got = model.predict(x_test, verbose=0)
    want = np.load(pathlib.Path(path).with_name("probabilities.npy"))
    difference = float(np.abs(got - want).max())
    print(f"{keras.config.backend():10} loads {os.path.basename(path)}: largest difference {difference:.1e}")
    return difference


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("digits_out"), help="folder for the results")
    parser.add_argument("--predict", metavar="FILE", help="only load this file and predict")
    args = parser.parse_args()
    if args.predict:
        return 0 if predict(args.predict) < 1e-4 else 1
    if os.environ.get("KERAS_BACKEND") in ("numpy", "openvino"):
        parser.error("this engine does not train: give --predict FILE, a model that another engine trained")
    args.out.mkdir(parents=True, exist_ok=True)
    accuracy = train(args.out, args.epochs)
    failed = []
    for engine, package in ENGINES.items():
        if importlib.util.find_spec(package) is None:
            continue
        command = [sys.executable, __file__, "--predict", str(args.out / "digits.keras")]
        if subprocess.run(command, env={**os.environ, "KERAS_BACKEND": engine}).returncode:
            failed.append(engine)
    if failed:
        print("These engines predict something else:", ", ".join(failed))
    if accuracy < 0.97:
        print(f"The accuracy {accuracy:.4f} is below 0.97.")
    print(f"Pictures and the model are in {args.out}/")
    return int(bool(failed) or accuracy < 0.97)


if __name__ == "__main__":
    sys.exit(main())
