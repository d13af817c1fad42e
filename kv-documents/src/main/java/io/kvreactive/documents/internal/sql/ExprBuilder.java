package io.kvreactive.documents.internal.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Expr.Binary;
import io.kvreactive.documents.internal.sql.ast.Expr.BinaryOp;
import io.kvreactive.documents.internal.sql.ast.Expr.Constant;
import io.kvreactive.documents.internal.sql.ast.Expr.SubqueryOp;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.sql.grammar.SqlLexer;
import io.kvreactive.documents.internal.sql.grammar.SqlParser;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.jspecify.annotations.Nullable;

/** Builds expressions from the parse tree. Recurses for brackets and {@code ?:} only. */
final class ExprBuilder {
  private final QueryBuilder queries;

  ExprBuilder(QueryBuilder queries) {
    this.queries = queries;
  }

  static Span span(ParserRuleContext context) {
    return SqlTokenizer.span(context.getStart()).to(SqlTokenizer.span(context.getStop()));
  }

  List<Expr> exprs(List<SqlParser.ExprContext> contexts) {
    return all(contexts, this::expr);
  }

  private static <C> List<Expr> all(List<C> contexts, Function<C, Expr> build) {
    List<Expr> exprs = new ArrayList<>(contexts.size());
    for (C context : contexts) {
      exprs.add(build.apply(context));
    }
    return exprs;
  }

  Expr expr(SqlParser.ExprContext context) {
    Expr condition = coalesce(context.coalesce());
    if (context.QUESTION() == null) {
      return condition;
    }
    return new Expr.Conditional(
        condition, expr(context.expr(0)), expr(context.expr(1)), span(context));
  }

  private Expr coalesce(SqlParser.CoalesceContext context) {
    return OperatorChains.bounded(BinaryOp.COALESCE, all(context.disjunction(), this::disjunction));
  }

  private Expr disjunction(SqlParser.DisjunctionContext context) {
    return OperatorChains.bounded(BinaryOp.OR, all(context.conjunction(), this::conjunction));
  }

  private Expr conjunction(SqlParser.ConjunctionContext context) {
    return OperatorChains.bounded(
        BinaryOp.AND,
        all(context.getRuleContexts(SqlParser.ComparisonContext.class), this::comparison));
  }

  private Expr comparison(SqlParser.ComparisonContext context) {
    Expr left = operand(context.operand());
    SqlParser.TestContext test = context.test();
    if (test == null) {
      return left;
    }
    Span span = span(context);
    if (test instanceof SqlParser.BetweenContext between) {
      Expr low = operand(between.operand(0));
      Expr high = operand(between.operand(1));
      return new Expr.Between(left, low, high, between.NOT() != null, span);
    } else if (test instanceof SqlParser.InContext in) {
      if (in.expr().size() > SqlLimits.TERMS) {
        throw SqlErrors.limit(
            "The list after IN can have at most " + SqlLimits.TERMS + " elements.", span);
      }
      return new Expr.In(left, exprs(in.expr()), in.NOT() != null, span);
    }
    SqlParser.LikeContext like = (SqlParser.LikeContext) test;
    String escape = like.STRING() == null ? null : SqlLiterals.text(like.STRING().getSymbol());
    return new Expr.Like(left, operand(like.operand()), escape, like.NOT() != null, span);
  }

  /** Builds a chain of left operands iteratively: down the left side, and back up. */
  private Expr operand(SqlParser.OperandContext context) {
    Deque<SqlParser.BinaryContext> spine = new ArrayDeque<>();
    SqlParser.OperandContext next = context;
    while (next instanceof SqlParser.BinaryContext binary) {
      spine.push(binary);
      next = binary.operand(0);
    }
    Expr left = prefixed(((SqlParser.SingleContext) next).prefixed());
    while (!spine.isEmpty()) {
      BinaryOp op = op(spine.element());
      if (op == BinaryOp.CONCAT) {
        List<Expr> terms = new ArrayList<>(List.of(left));
        while (!spine.isEmpty() && op(spine.element()) == BinaryOp.CONCAT) {
          terms.add(operand(spine.pop().operand(1)));
        }
        left = OperatorChains.bounded(BinaryOp.CONCAT, terms);
      } else {
        Expr right = operand(spine.pop().operand(1));
        left = new Binary(op, left, right, left.span().to(right.span()));
      }
    }
    return left;
  }

  private static BinaryOp op(SqlParser.BinaryContext context) {
    return Operators.binary(((TerminalNode) context.getChild(1)).getSymbol().getType());
  }

  private Expr prefixed(SqlParser.PrefixedContext context) {
    Expr expr = null;
    int signs = context.getChildCount() - 1;
    if (signs > 0 && sign(context, signs - 1).getType() == SqlLexer.MINUS) {
      expr = negative(context.postfixed(), sign(context, signs - 1));
      signs = expr == null ? signs : signs - 1;
    }
    expr = expr == null ? postfixed(context.postfixed()) : expr;
    Span operand = span(context.postfixed()); // looked for among all signs
    for (int i = signs - 1; i >= 0; i--) {
      Token sign = sign(context, i);
      expr =
          new Expr.Unary(
              Operators.unary(sign.getType()), expr, SqlTokenizer.span(sign).to(operand));
    }
    return expr;
  }

  private static Token sign(SqlParser.PrefixedContext context, int index) {
    return ((TerminalNode) context.getChild(index)).getSymbol();
  }

  /**
   * Returns {@code -5} as a constant, so that the smallest long can be written; null for other
   * operands.
   */
  private static @Nullable Expr negative(SqlParser.PostfixedContext context, Token minus) {
    Span span = SqlTokenizer.span(minus).to(span(context));
    if (!context.step().isEmpty()) {
      return null;
    } else if (context.primary() instanceof SqlParser.NumberContext number) {
      return new Constant(SqlLiterals.number(number.getStart(), true), span);
    } else if (context.primary() instanceof SqlParser.NameContext name) {
      JsonNode value = SqlLiterals.word(name.getText());
      return value != null && value.isNumber()
          ? new Constant(Values.number(-value.doubleValue()), span)
          : null;
    }
    return null;
  }

  private Expr postfixed(SqlParser.PostfixedContext context) {
    Expr expr = primary(context.primary());
    for (SqlParser.StepContext step : context.step()) {
      Span span = expr.span().to(span(step));
      if (step.expr() != null) {
        Expr index = expr(step.expr());
        expr =
            index instanceof Constant constant && constant.value().isTextual()
                ? new Expr.Member(expr, constant.value().textValue(), span)
                : new Expr.Element(expr, index, span);
      } else {
        String name = step.memberName().getText();
        if (step.arguments() != null) {
          throw call(expr, name, step, span);
        }
        expr = new Expr.Member(expr, name, span);
      }
    }
    return expr;
  }

  private static RuntimeException call(
      Expr target, String name, SqlParser.StepContext step, Span span) {
    if (target instanceof Expr.Identifier udf && udf.name().equalsIgnoreCase("udf")) {
      return SqlErrors.invalid(
          SqlErrors.FUNCTION,
          "'udf." + name + "' is not known: there are no user-defined functions.",
          span);
    }
    return SqlErrors.syntax("(", SqlTokenizer.span(step.arguments().getStart()));
  }

  private Expr primary(SqlParser.PrimaryContext context) {
    Span span = span(context);
    if (context instanceof SqlParser.NumberContext) {
      return new Constant(SqlLiterals.number(context.getStart(), false), span);
    } else if (context instanceof SqlParser.StringContext) {
      String text = SqlLiterals.text(context.getStart());
      return new Constant(Values.text(text), span);
    } else if (context instanceof SqlParser.ParameterContext) {
      return new Expr.Parameter(context.getText().substring(1), span);
    } else if (context instanceof SqlParser.NameContext) {
      JsonNode value = SqlLiterals.word(context.getText());
      return value == null
          ? new Expr.Identifier(context.getText(), span)
          : new Constant(value, span);
    } else if (context instanceof SqlParser.CallContext call) {
      String name = call.IDENTIFIER().getText().toUpperCase(Locale.ROOT);
      return new Expr.Call(name, exprs(call.arguments().expr()), span);
    } else if (context instanceof SqlParser.QueryCallContext call) {
      return rows(call.IDENTIFIER().getSymbol(), queries.query(call.query()), span);
    } else if (context instanceof SqlParser.ScalarContext scalar) {
      return new Expr.Subquery(SubqueryOp.SCALAR, queries.query(scalar.query()), span);
    } else if (context instanceof SqlParser.NestedContext nested) {
      return expr(nested.expr());
    } else if (context instanceof SqlParser.ArrayContext array) {
      return new Expr.ArrayLiteral(exprs(array.expr()), span);
    }
    List<Expr.Pair> members = new ArrayList<>();
    for (SqlParser.MemberContext member : ((SqlParser.ObjectContext) context).member()) {
      String name =
          member.STRING() == null
              ? member.getStart().getText()
              : SqlLiterals.text(member.getStart());
      members.add(new Expr.Pair(name, expr(member.expr())));
    }
    return new Expr.ObjectLiteral(members, span);
  }

  private static Expr rows(Token name, Query query, Span span) {
    String text = name.getText().toUpperCase(Locale.ROOT);
    for (SubqueryOp op : SubqueryOp.values()) {
      if (op != SubqueryOp.SCALAR && op.name().equals(text)) {
        return new Expr.Subquery(op, query, span);
      }
    }
    throw SqlErrors.syntax(name.getText(), SqlTokenizer.span(name));
  }
}
