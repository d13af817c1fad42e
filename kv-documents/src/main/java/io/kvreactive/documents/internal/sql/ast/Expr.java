package io.kvreactive.documents.internal.sql.ast;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An expression. Immutable; equality ignores the position in the text. */
public sealed interface Expr {
  Span span();

  /** A literal. Undefined is a {@code MissingNode}; 64-bit integers are exact. */
  record Constant(JsonNode value, Span span) implements Expr {}

  /** A parameter {@code @name}; the name is without the sign. */
  record Parameter(String name, Span span) implements Expr {}

  /** The name of a source. */
  record Identifier(String name, Span span) implements Expr {}

  /** A member access {@code target.name} or {@code target["name"]}. */
  record Member(Expr target, String name, Span span) implements Expr {}

  /** An element access {@code target[index]} whose index is not a text literal. */
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

  /** A conditional expression {@code condition ? yes : no}. */
  record Conditional(Expr condition, Expr yes, Expr no, Span span) implements Expr {}

  /**
   * A call of a function or an aggregate.
   *
   * @param name the name in capitals
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

  /** A subquery in an expression, such as {@code EXISTS(SELECT …)}. */
  record Subquery(SubqueryOp op, Query query, Span span) implements Expr {}

  /** The value that is computed from the rows of a subquery. */
  enum SubqueryOp {
    /** The only row of {@code (SELECT …)}; undefined if there is none. */
    SCALAR,
    /** True if there is a row. */
    EXISTS,
    /** The array of all rows. */
    ARRAY,
    /** True if every row is true; undefined if a row is no boolean and none is false. */
    ALL,
    /** The first row; undefined if there is none. */
    FIRST,
    /** The last row; undefined if there is none. */
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
