package io.kvreactive.index.internal.sql.ast;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An expression. Immutable; two are equal when they say the same, wherever they stand. */
public sealed interface Expr {
  Span span();

  /** A literal. Undefined is a {@code MissingNode}; numbers keep 64-bit integers exact. */
  record Constant(JsonNode value, Span span) implements Expr {}

  /** {@code @name}; the name without the sign. */
  record Parameter(String name, Span span) implements Expr {}

  /** A name that stands for a source. */
  record Identifier(String name, Span span) implements Expr {}

  /** {@code target.name}, {@code target["name"]}. */
  record Member(Expr target, String name, Span span) implements Expr {}

  /** {@code target[index]}, where the index is not a text literal. */
  record Element(Expr target, Expr index, Span span) implements Expr {}

  record Unary(UnaryOp op, Expr operand, Span span) implements Expr {}

  record Binary(BinaryOp op, Expr left, Expr right, Span span) implements Expr {}

  record Between(Expr operand, Expr low, Expr high, boolean negated, Span span) implements Expr {}

  record In(Expr operand, List<Expr> list, boolean negated, Span span) implements Expr {
    public In {
      list = List.copyOf(list);
    }
  }

  record Like(Expr operand, Expr pattern, @Nullable String escape, boolean negated, Span span)
      implements Expr {}

  /** {@code condition ? yes : no}. */
  record Conditional(Expr condition, Expr yes, Expr no, Span span) implements Expr {}

  /**
   * A call of a function or an aggregate.
   *
   * @param name in capitals
   */
  record Call(String name, List<Expr> arguments, Span span) implements Expr {
    public Call {
      arguments = List.copyOf(arguments);
    }
  }

  record ArrayLiteral(List<Expr> elements, Span span) implements Expr {
    public ArrayLiteral {
      elements = List.copyOf(elements);
    }
  }

  record ObjectLiteral(List<Pair> members, Span span) implements Expr {
    public ObjectLiteral {
      members = List.copyOf(members);
    }
  }

  /** A member of an object literal. */
  record Pair(String name, Expr value) {}

  /** {@code (SELECT …)}: its only row. */
  record Scalar(Query query, Span span) implements Expr {}

  /** {@code EXISTS(SELECT …)}. */
  record Exists(Query query, Span span) implements Expr {}

  /** {@code ARRAY(SELECT …)}. */
  record ArrayOf(Query query, Span span) implements Expr {}

  /** {@code FIRST(SELECT …)} and the like: one value from all of its rows. */
  record Rows(RowsOp op, Query query, Span span) implements Expr {}

  /** What becomes of the rows of a subquery. */
  enum RowsOp {
    /** True when every row is true, undefined when one is no boolean and none is false. */
    ALL,
    /** The first row; undefined when there is none. */
    FIRST,
    /** The last row; undefined when there is none. */
    LAST
  }

  enum UnaryOp {
    NOT("NOT "),
    PLUS("+"),
    MINUS("-"),
    BIT_NOT("~");

    private final String text;

    UnaryOp(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  enum BinaryOp {
    OR("OR"),
    AND("AND"),
    COALESCE("??"),
    EQUAL("="),
    NOT_EQUAL("!="),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    GREATER(">"),
    GREATER_OR_EQUAL(">="),
    BIT_OR("|"),
    BIT_XOR("^"),
    BIT_AND("&"),
    SHIFT_LEFT("<<"),
    SHIFT_RIGHT(">>"),
    SHIFT_RIGHT_ZERO(">>>"),
    CONCAT("||"),
    ADD("+"),
    SUBTRACT("-"),
    MULTIPLY("*"),
    DIVIDE("/"),
    REMAINDER("%");

    private final String text;

    BinaryOp(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }
}
