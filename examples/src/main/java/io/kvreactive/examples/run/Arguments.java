package io.kvreactive.examples.run;

import java.nio.file.Path;

/**
 * The command line of an example.
 *
 * @param path where the store's files are
 */
record Arguments(Path path) {
  /** Says what is wrong with a command line. */
  static final class Unusable extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    Unusable(String message) {
      super(message);
    }
  }

  /** Reads {@code --path DIR} or {@code --path=DIR}. */
  static Arguments parse(String[] args, Path preset) {
    Path path = preset;
    for (int i = 0; i < args.length; i++) {
      if (args[i].startsWith("--path=")) {
        path = Path.of(args[i].substring("--path=".length()));
      } else if (args[i].equals("--path") && i + 1 < args.length) {
        path = Path.of(args[++i]);
      } else {
        throw new Unusable("argument: " + args[i] + " (expected: --path DIR)");
      }
    }
    return new Arguments(path);
  }
}
