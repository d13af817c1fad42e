package io.kvreactive.documents.internal.sql;

/** The limits of the size of queries. */
public final class SqlLimits {
  /** Maximum number of UTF-8 bytes of a text. */
  public static final int TEXT_BYTES = 512 * 1024;

  /**
   * Maximum number of words, signs and literals of a text; keeps memory proportional to the text.
   */
  public static final int TOKENS = 100_000;

  /** Maximum nesting of brackets and of {@code ?:} conditions; subqueries count twice. */
  public static final int NESTING = 100;

  /**
   * Maximum depth of the tree of a query; {@code 1 + 1 + 1 + …} and {@code c.a.b.c…} add levels
   * too.
   */
  public static final int TREE_DEPTH = 300;

  /** Maximum number of terms combined by AND, OR, ?? or ||, and of elements of a list after IN. */
  public static final int TERMS = 6_000;

  /** Maximum number of JOINs of a query, including those of its subqueries. */
  public static final int JOINS = 10;

  private SqlLimits() {}
}
