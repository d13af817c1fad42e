package io.kvreactive.internal.key;

/**
 * The first byte of each encoded key part. The numbers are those of FoundationDB's tuple layer
 * ({@code foundationdb/design/tuple.md}); Deno KV uses only these. An integer of 1 to 8 magnitude
 * bytes has the tag {@link #ZERO} plus (or, if negative, minus) that number of bytes.
 */
final class TupleTag {
  static final int BYTES = 0x01;
  static final int STRING = 0x02;
  static final int NEGATIVE_LONG_FORM = 0x0B;
  static final int ZERO = 0x14;
  static final int POSITIVE_LONG_FORM = 0x1D;
  static final int DOUBLE = 0x21;
  static final int FALSE = 0x26;
  static final int TRUE = 0x27;

  /** Follows a zero byte inside bytes and strings; no tag has this value. */
  static final int ESCAPE = 0xFF;

  /** Maximum magnitude bytes of an integer whose length is part of the tag. */
  static final int SHORT_FORM_BYTES = 8;

  /** Maximum magnitude bytes of any integer: the long form's length is one byte. */
  static final int MAX_INTEGER_BYTES = 255;

  private TupleTag() {}
}
