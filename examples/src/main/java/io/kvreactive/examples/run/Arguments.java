package io.kvreactive.examples.run;

import java.nio.file.Path;

/**
 * The command line of an example.
 *
 * @param path the directory of the store
 * @param size the amount of work
 * @param operands the arguments that are not options
 */
record Arguments(Path path, Size size, Operands operands) {
  Arguments(Path path, Size size) {
    this(path, size, Operands.NONE);
  }

  /** Thrown for an invalid command line. */
  static final class Unusable extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    Unusable(String message) {
      super(message);
    }
  }

  /**
   * Parses {@code --path DIR} or {@code --path=DIR}, and the size likewise if the example has one.
   * Other arguments are operands if the example has any.
   *
   * @throws Unusable if the arguments are invalid
   */
  static Arguments parse(String[] args, Arguments preset) {
    Arguments read = new Arguments(preset.path, preset.size, preset.operands.none());
    for (int i = 0; i < args.length; i++) {
      if (preset.operands.exists() && !args[i].startsWith("--")) {
        read = new Arguments(read.path, read.size, read.operands.with(args[i]));
        continue;
      }
      int equals = args[i].indexOf('=');
      String option = equals < 0 ? args[i] : args[i].substring(0, equals);
      if (equals < 0 && i + 1 == args.length) {
        throw read.unknown(args[i]);
      }
      read = read.with(option, equals < 0 ? args[++i] : args[i].substring(equals + 1));
    }
    return read.operands.values().isEmpty()
        ? new Arguments(read.path, read.size, preset.operands)
        : read;
  }

  private Arguments with(String option, String value) {
    if (option.equals("--path")) {
      return new Arguments(Path.of(value), size, operands);
    }
    if (size.exists() && option.equals(size.option())) {
      return new Arguments(path, size.parse(value), operands);
    }
    throw unknown(option);
  }

  private Unusable unknown(String argument) {
    return new Unusable("argument: " + argument + " (expected: " + usage() + ")");
  }

  String usage() {
    return "--path DIR"
        + (size.exists() ? ", " + size.option() + " N" : "")
        + (operands.exists() ? ", " + operands.name() : "");
  }
}
