// Words and signs of the query language. Only clauses are reserved words; the names of functions,
// EXISTS, ARRAY, ROOT, true, null and the like are identifiers, which the next step tells apart.
lexer grammar SqlLexer;

options {
  caseInsensitive = true;
}

AND: 'AND';
AS: 'AS';
ASC: 'ASC';
BETWEEN: 'BETWEEN';
BY: 'BY';
DESC: 'DESC';
DISTINCT: 'DISTINCT';
ESCAPE: 'ESCAPE';
FROM: 'FROM';
GROUP: 'GROUP';
IN: 'IN';
JOIN: 'JOIN';
LIKE: 'LIKE';
LIMIT: 'LIMIT';
NOT: 'NOT';
OFFSET: 'OFFSET';
OR: 'OR';
ORDER: 'ORDER';
SELECT: 'SELECT';
TOP: 'TOP';
VALUE: 'VALUE';
WHERE: 'WHERE';

IDENTIFIER: [A-Z_] [A-Z0-9_]*;
PARAMETER: '@' [A-Z_] [A-Z0-9_]*;

INTEGER: [0-9]+;
HEX: '0X' [0-9A-F]+;
DECIMAL: ([0-9]+ '.' [0-9]* | '.' [0-9]+) EXPONENT? | [0-9]+ EXPONENT;
fragment EXPONENT: 'E' [+-]? [0-9]+;

// what follows a backslash is checked later, where its place can be told
STRING: '"' (~["\\] | '\\' .)* '"' | '\'' (~['\\] | '\\' .)* '\'';

COMMENT: '--' ~[\r\n]* -> skip;
BLANK: [ \t\r\n\f\u00A0\uFEFF]+ -> skip;

LPAREN: '(';
RPAREN: ')';
LBRACKET: '[';
RBRACKET: ']';
LBRACE: '{';
RBRACE: '}';
COMMA: ',';
COLON: ':';
COALESCE: '??';
QUESTION: '?';
DOT: '.';

EQUAL: '=';
NOT_EQUAL: '!=' | '<>';
LESS: '<';
LESS_OR_EQUAL: '<=';
GREATER: '>';
GREATER_OR_EQUAL: '>=';

CONCAT: '||';
BIT_OR: '|';
BIT_XOR: '^';
BIT_AND: '&';
BIT_NOT: '~';
SHIFT_LEFT: '<<';
SHIFT_RIGHT_ZERO: '>>>';
SHIFT_RIGHT: '>>';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';

OTHER: .;
