package io.kvreactive.examples.run;

import java.nio.file.Path;

/**
 * The command line of an example.
 *
 * @param path where the store's files are
 * @param size how much of it to do
 */
record Arguments(Path path, Size size) {
  /** Says what is wrong with a command line. */
  static final class Unusable extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    Unusable(String message) {
      super(message);
    }
  }

  /** Reads {@code --path DIR} or {@code --path=DIR}, and the size, if there is one, likewise. */
  static Arguments parse(String[] args, Arguments preset) {
    Arguments read = preset;
    for (int i = 0; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      String option = equals < 0 ? args[i] : args[i].substring(0, equals);
      if (equals < 0 && i + 1 == args.length) {
        throw read.unknown(args[i]);
      }
      read = read.with(option, equals < 0 ? args[++i] : args[i].substring(equals + 1));
    }
    return read;
  }

  private Arguments with(String option, String value) {
    if (option.equals("--path")) {
      return new Arguments(Path.of(value), size);
    }
    if (size.exists() && option.equals(size.option())) {
      return new Arguments(path, size.parse(value));
    }
    throw unknown(option);
  }

  private Unusable unknown(String argument) {
    return new Unusable("argument: " + argument + " (expected: " + usage() + ")");
  }

  String usage() {
    return size.exists() ? "--path DIR, " + size.option() + " N" : "--path DIR";
  }
}
