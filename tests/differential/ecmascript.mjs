// Expressions of the public cases: a small part of JavaScript → CEL.
import { Skip } from './skip.mjs'

const TOKEN = /\s*(?:(typeof\s+([\w.$]+)\s*(===|==|!==|!=)\s*'undefined')|(In)\(\s*'([^']*)'\s*\)|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(\d+(?:\.\d+)?)|([A-Za-z_$][\w$]*(?:\s*\.\s*[A-Za-z_$][\w$]*)*)|(===|!==|==|!=|<=|>=|&&|\|\||[-+*%!<>()[\],?:]))/y

const BEYOND = 'JavaScript beyond what CEL has'

/** The value of a source that is JSON, or nearly. */
export function literal(source) {
  const text = source.trim().replace(/^'([^'\\]*)'$/, (_, inner) => JSON.stringify(inner))
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** CEL; `state(id)` gives a state's key, `done` says that the event is one of completion, `declared` names the data. */
export function expression(source, { done, state, declared }) {
  const text = source.trim().replace(/Math\.pow\((\w+), ?3\)/g, '($1 * $1 * $1)')
  let cel = ''
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text)
    if (!match || /^(\+\+|--)/.test(text.slice(match.index).trim())) throw new Skip(BEYOND)
    const [, type, path, sign, inside, id, string, number, name, operator] = match
    if (type) cel += `${sign.startsWith('!') ? '' : '!'}has(${variable(path, done, declared)})`
    else if (inside) {
      if (!state(id)) throw new Skip('a state that does not exist')
      cel += `inState('#${state(id)}')`
    } else if (name) cel += variable(name.replace(/\s/g, ''), done, declared)
    else if (operator) cel += { '===': ' == ', '!==': ' != ' }[operator] ?? (/^[[\](),!]$/.test(operator) ? operator : ` ${operator} `)
    else cel += string ?? number
  }
  if (!cel) throw new Skip('an empty expression')
  return cel.trim()
}

function variable(path, done, declared) {
  if (['true', 'false', 'null'].includes(path)) return path
  const [first, second, ...rest] = path.split('.')
  if (first === '_event') {
    if (path === '_event.name') return 'event.type'
    if (second === 'data') return [done ? 'event.output' : 'event.data', ...rest].join('.')
    throw new Skip('system variables')
  }
  if (first.startsWith('_')) throw new Skip('system variables')
  if (['undefined', 'return', 'new', 'function', 'var', 'typeof', 'Math', 'JSON', 'instanceof'].includes(first)) throw new Skip(BEYOND)
  if (!declared.has(first)) throw new Skip('an error that the machine outlives')
  return `context.${path}`
}

