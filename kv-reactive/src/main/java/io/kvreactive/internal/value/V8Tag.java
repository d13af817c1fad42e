package io.kvreactive.internal.value;

/**
 * The tag bytes of V8's structured-clone format, as in {@code value-serializer.cc} of V8 15.0. The
 * format has no other specification than that source.
 */
final class V8Tag {
  /** Starts the header; the version follows. */
  static final int VERSION = 0xFF;

  /** The version that is written. 16 differs only in array buffers above 4 GiB. */
  static final int WRITE_VERSION = 15;

  /** The first version whose bytes after the header equal those of the later versions. */
  static final int MIN_COMPATIBLE_VERSION = 14;

  /** The newest version that is read. */
  static final int MAX_VERSION = 16;

  /** Maximum nesting depth, for reading and writing. */
  static final int MAX_DEPTH = 512;

  static final int PADDING = 0;
  static final int UNDEFINED = '_';
  static final int NULL = '0';
  static final int TRUE = 'T';
  static final int FALSE = 'F';
  static final int HOLE = '-';
  static final int INT32 = 'I';
  static final int UINT32 = 'U';
  static final int DOUBLE = 'N';
  static final int BIG_INT = 'Z';
  static final int ONE_BYTE_STRING = '"';
  static final int TWO_BYTE_STRING = 'c';
  static final int UTF8_STRING = 'S';
  static final int REFERENCE = '^';
  static final int OBJECT = 'o';
  static final int END_OBJECT = '{';
  static final int DENSE_ARRAY = 'A';
  static final int END_DENSE_ARRAY = '$';
  static final int SPARSE_ARRAY = 'a';
  static final int END_SPARSE_ARRAY = '@';
  static final int DATE = 'D';
  static final int TRUE_OBJECT = 'y';
  static final int FALSE_OBJECT = 'x';
  static final int NUMBER_OBJECT = 'n';
  static final int BIG_INT_OBJECT = 'z';
  static final int STRING_OBJECT = 's';
  static final int REG_EXP = 'R';
  static final int MAP = ';';
  static final int END_MAP = ':';
  static final int SET = '\'';
  static final int END_SET = ',';
  static final int ARRAY_BUFFER = 'B';
  static final int RESIZABLE_ARRAY_BUFFER = '~';
  static final int VIEW = 'V';
  static final int ERROR = 'r';
  static final int HOST_OBJECT = '\\';

  /** Written by old versions of V8 before the value that it counts; skipped. */
  static final int VERIFY_OBJECT_COUNT = '?';

  static final int ERROR_MESSAGE = 'm';
  static final int ERROR_CAUSE = 'c';
  static final int ERROR_STACK = 's';
  static final int END_ERROR = '.';

  static final int VIEW_LENGTH_TRACKING = 1;
  static final int VIEW_ON_RESIZABLE = 2;

  /** The tag that Deno writes before a host object that it stores by value. */
  static final long DENO_HOST_OBJECT = 0xFFFF_FFFFL;

  private V8Tag() {}
}
