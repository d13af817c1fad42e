package io.kvreactive.index.internal.sql;

/** How large queries can be. */
public final class SqlLimits {
  /** UTF-8 bytes of a text. */
  public static final int TEXT_BYTES = 512 * 1024;

  /** Words, signs and literals of a text; keeps memory in proportion. */
  public static final int TOKENS = 100_000;

  /** Brackets, and conditions of {@code ?:}, inside of each other; subqueries count twice. */
  public static final int NESTING = 100;

  /** Levels of the tree of a query: also {@code 1 + 1 + 1 + …} and {@code c.a.b.c…} make some. */
  public static final int TREE_DEPTH = 300;

  /** Terms that AND, OR, ?? or || combine, and elements of a list after IN. */
  public static final int TERMS = 6_000;

  /** JOINs of a query, those of its subqueries included. */
  public static final int JOINS = 10;

  private SqlLimits() {}
}
