package io.kvreactive.documents.internal.sql;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Expr.Binary;
import io.kvreactive.documents.internal.sql.ast.Expr.Constant;
import io.kvreactive.documents.internal.sql.ast.Expr.SubqueryOp;
import io.kvreactive.documents.internal.sql.ast.Expr.UnaryOp;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Prints expressions; an operator expression is in parentheses unless it stands alone. */
final class ExprPrinter {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private final StringBuilder out;
  private final SqlPrinter queries;

  ExprPrinter(StringBuilder out, SqlPrinter queries) {
    this.out = out;
    this.queries = queries;
  }

  void print(Expr expr) {
    checkpoint();
    if (expr instanceof Constant constant) {
      value(constant.value());
    } else if (expr instanceof Expr.Parameter parameter) {
      out.append('@').append(parameter.name());
    } else if (expr instanceof Expr.Identifier identifier) {
      out.append(identifier.name());
    } else if (expr instanceof Expr.Member member) {
      target(member.target());
      member(member.name());
    } else if (expr instanceof Expr.Element element) {
      target(element.target());
      out.append('[');
      print(element.index());
      out.append(']');
    } else if (expr instanceof Expr.Unary unary) {
      unary(unary);
    } else if (expr instanceof Binary binary) {
      binary(binary);
    } else if (expr instanceof Expr.Conditional choice) {
      inside(choice.condition());
      out.append(" ? ");
      print(choice.yes());
      out.append(" : ");
      print(choice.no());
    } else if (expr instanceof Expr.Call call) {
      out.append(call.name());
      list("(", call.arguments(), this::print, ")");
    } else if (expr instanceof Expr.ArrayLiteral array) {
      list("[", array.elements(), this::print, "]");
    } else if (expr instanceof Expr.ObjectLiteral object) {
      list("{", object.members(), pair -> member(pair.name(), () -> print(pair.value())), "}");
    } else {
      testOrQuery(expr);
    }
  }

  private void testOrQuery(Expr expr) {
    if (expr instanceof Expr.Between between) {
      test(between.operand(), between.negated(), "BETWEEN ");
      inside(between.low());
      out.append(" AND ");
      inside(between.high());
    } else if (expr instanceof Expr.In in) {
      test(in.operand(), in.negated(), "IN ");
      list("(", in.list(), this::print, ")");
    } else if (expr instanceof Expr.Like like) {
      test(like.operand(), like.negated(), "LIKE ");
      inside(like.pattern());
      if (like.escape() != null) {
        out.append(" ESCAPE ");
        text(like.escape());
      }
    } else if (expr instanceof Expr.Subquery subquery) {
      out.append(subquery.op() == SubqueryOp.SCALAR ? "(" : subquery.op().name() + "(");
      queries.query(subquery.query());
      out.append(')');
    }
  }

  /** Prints the elements of a list with commas between them. */
  <E> void list(String start, Iterable<E> elements, Consumer<E> print, String end) {
    String separator = start;
    for (E element : elements) {
      out.append(separator);
      print.accept(element);
      separator = ", ";
    }
    out.append(separator.equals(start) ? start + end : end);
  }

  private void member(String name, Runnable value) {
    text(name);
    out.append(": ");
    value.run();
  }

  private void parenthesized(Expr expr) {
    out.append('(');
    print(expr);
    out.append(')');
  }

  void member(String name) {
    if (isName(name)) {
      out.append('.').append(name);
    } else {
      out.append('[');
      text(name);
      out.append(']');
    }
  }

  private static boolean isName(String name) {
    return NAME.matcher(name).matches() && !name.equalsIgnoreCase("VALUE");
  }

  private void unary(Expr.Unary unary) {
    out.append(unary.op().text());
    // "-(5)" is not the constant -5, and "--" would begin a comment
    boolean apart =
        unary.op() == UnaryOp.NOT
            || !(unary.operand() instanceof Constant || unary.operand() instanceof Expr.Unary);
    if (apart) {
      inside(unary.operand());
    } else {
      parenthesized(unary.operand());
    }
  }

  /** Prints a binary expression. Chains are printed flat, and parsing restores the same tree. */
  private void binary(Binary binary) {
    if (!OperatorChains.isChain(binary.op())) {
      inside(binary.left());
      out.append(' ').append(binary.op().text()).append(' ');
      inside(binary.right());
      return;
    }
    String separator = "";
    for (Expr term : OperatorChains.terms(binary.op(), binary)) {
      out.append(separator);
      inside(term);
      separator = " " + binary.op().text() + " ";
    }
  }

  private void test(Expr operand, boolean negated, String word) {
    inside(operand);
    out.append(negated ? " NOT " : " ").append(word);
  }

  /** Prints the target of a member or element access: "5.x" would be the number "5." and a name. */
  private void target(Expr expr) {
    if (expr instanceof Constant constant && constant.value().isNumber()) {
      parenthesized(expr);
    } else {
      inside(expr);
    }
  }

  private void inside(Expr expr) {
    boolean operators =
        expr instanceof Expr.Unary
            || expr instanceof Binary
            || expr instanceof Expr.Conditional
            || expr instanceof Expr.Between
            || expr instanceof Expr.In
            || expr instanceof Expr.Like
            || expr instanceof Constant constant && isSigned(constant.value());
    if (operators) {
      parenthesized(expr);
    } else {
      print(expr);
    }
  }

  private static boolean isSigned(JsonNode value) {
    return value.isNumber() && value.doubleValue() < 0;
  }

  private void value(@Nullable JsonNode value) {
    if (value == null || value.isMissingNode()) {
      out.append("undefined");
    } else if (value.isTextual()) {
      text(value.textValue());
    } else if (value.isArray()) {
      list("[", value, this::value, "]");
    } else if (value.isObject()) {
      list("{", value.properties(), e -> member(e.getKey(), () -> value(e.getValue())), "}");
    } else if (value.isDouble()) {
      out.append(value.doubleValue());
    } else {
      out.append(value.asText());
    }
  }

  private void text(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append("\\u00")
                .append(Character.forDigit(c >> 4, 16))
                .append(Character.forDigit(c & 15, 16));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
