// The query language. Whatever can repeat is a loop here; only brackets and "?:" recurse, and how
// deep they go is counted before parsing.
parser grammar SqlParser;

options {
  tokenVocab = SqlLexer;
}

start: query EOF;

query:
    select from? where? groupBy? orderBy? offsetLimit?;

select: SELECT DISTINCT? top? (STAR | VALUE expr | selectItem (COMMA selectItem)*);

top: TOP count;

count: INTEGER | PARAMETER;

selectItem: expr (AS memberName | IDENTIFIER)?;

from: FROM source (JOIN source)*;

source
    : IDENTIFIER IN collection         # eachSource
    | collection (AS? IDENTIFIER)?     # wholeSource
    ;

collection
    : IDENTIFIER pathStep*             # pathCollection
    | LPAREN query RPAREN              # queryCollection
    ;

pathStep: DOT memberName | LBRACKET (STRING | INTEGER) RBRACKET;

where: WHERE expr;

groupBy: GROUP BY expr (COMMA expr)*;

orderBy: ORDER BY orderItem (COMMA orderItem)*;

orderItem: expr (ASC | DESC)?;

offsetLimit: OFFSET count LIMIT count;

expr: coalesce (QUESTION expr COLON expr)?;

coalesce: disjunction (COALESCE disjunction)*;

disjunction: conjunction (OR conjunction)*;

conjunction: comparison (AND comparison)*;

// a test cannot be compared or tested further without brackets
comparison: operand test?;

test
    : NOT? BETWEEN operand AND operand            # between
    | NOT? IN LPAREN expr (COMMA expr)* RPAREN    # in
    | NOT? LIKE operand (ESCAPE STRING)?          # like
    ;

operand
    : prefixed                                                              # single
    | operand (STAR | SLASH | PERCENT) operand                              # binary
    | operand (PLUS | MINUS) operand                                        # binary
    | operand CONCAT operand                                                # binary
    | operand (SHIFT_LEFT | SHIFT_RIGHT | SHIFT_RIGHT_ZERO) operand         # binary
    | operand BIT_AND operand                                               # binary
    | operand BIT_XOR operand                                               # binary
    | operand BIT_OR operand                                                # binary
    | operand (LESS | LESS_OR_EQUAL | GREATER | GREATER_OR_EQUAL) operand   # binary
    | operand (EQUAL | NOT_EQUAL) operand                                   # binary
    ;

prefixed: (PLUS | MINUS | BIT_NOT | NOT)* postfixed;

postfixed: primary step*;

step: DOT memberName arguments? | LBRACKET expr RBRACKET;

arguments: LPAREN (expr (COMMA expr)*)? RPAREN;

primary
    : (INTEGER | HEX | DECIMAL)                         # number
    | STRING                                            # string
    | PARAMETER                                         # parameter
    | IDENTIFIER                                        # name
    | IDENTIFIER arguments                              # call
    | IDENTIFIER LPAREN query RPAREN                    # queryCall
    | LPAREN query RPAREN                               # scalar
    | LPAREN expr RPAREN                                # nested
    | LBRACKET (expr (COMMA expr)*)? RBRACKET           # array
    | LBRACE (member (COMMA member)*)? RBRACE           # object
    ;

member: (memberName | VALUE | STRING) COLON expr;

// any word but VALUE, which stands for SELECT VALUE everywhere but before a colon
memberName
    : IDENTIFIER | AND | AS | ASC | BETWEEN | BY | DESC | DISTINCT | ESCAPE | FROM | GROUP | IN | JOIN
    | LIKE | LIMIT | NOT | OFFSET | OR | ORDER | SELECT | TOP | WHERE
    ;
