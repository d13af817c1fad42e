package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Expr.BinaryOp;
import io.kvreactive.documents.internal.sql.ast.Expr.UnaryOp;
import io.kvreactive.documents.internal.sql.grammar.SqlLexer;

/** The mapping from operator tokens to operators. */
final class Operators {
  private Operators() {}

  static UnaryOp unary(int token) {
    return switch (token) {
      case SqlLexer.NOT -> UnaryOp.NOT;
      case SqlLexer.PLUS -> UnaryOp.PLUS;
      case SqlLexer.MINUS -> UnaryOp.MINUS;
      case SqlLexer.BIT_NOT -> UnaryOp.BIT_NOT;
      default -> throw new IllegalArgumentException("no unary operator: token " + token);
    };
  }

  static BinaryOp binary(int token) {
    return switch (token) {
      case SqlLexer.EQUAL -> BinaryOp.EQUAL;
      case SqlLexer.NOT_EQUAL -> BinaryOp.NOT_EQUAL;
      case SqlLexer.LESS -> BinaryOp.LESS;
      case SqlLexer.LESS_OR_EQUAL -> BinaryOp.LESS_OR_EQUAL;
      case SqlLexer.GREATER -> BinaryOp.GREATER;
      case SqlLexer.GREATER_OR_EQUAL -> BinaryOp.GREATER_OR_EQUAL;
      case SqlLexer.BIT_OR -> BinaryOp.BIT_OR;
      case SqlLexer.BIT_XOR -> BinaryOp.BIT_XOR;
      case SqlLexer.BIT_AND -> BinaryOp.BIT_AND;
      case SqlLexer.SHIFT_LEFT -> BinaryOp.SHIFT_LEFT;
      case SqlLexer.SHIFT_RIGHT -> BinaryOp.SHIFT_RIGHT;
      case SqlLexer.SHIFT_RIGHT_ZERO -> BinaryOp.SHIFT_RIGHT_ZERO;
      case SqlLexer.CONCAT -> BinaryOp.CONCAT;
      case SqlLexer.PLUS -> BinaryOp.ADD;
      case SqlLexer.MINUS -> BinaryOp.SUBTRACT;
      case SqlLexer.STAR -> BinaryOp.MULTIPLY;
      case SqlLexer.SLASH -> BinaryOp.DIVIDE;
      case SqlLexer.PERCENT -> BinaryOp.REMAINDER;
      default -> throw new IllegalArgumentException("no binary operator: token " + token);
    };
  }
}
