package importer

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// xmlElem is an element of an XML file with the places of its parts.
type xmlElem struct {
	name     string
	at       place
	attrs    []xml.Attr
	children []*xmlElem
	parent   *xmlElem
}

// maxXMLDepth bounds nesting; PCI trees are below ten deep.
const maxXMLDepth = 64

// parseXML reads a file into a tree; root is the name its outermost element
// must have.
func parseXML(s source, roots ...string) (*xmlElem, error) {
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	dec := xml.NewDecoder(strings.NewReader(text))
	var root, cur *xmlElem
	depth := 0
	for {
		line, col := dec.InputPos()
		at := place{s.name, line, col}
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, xmlError(s, dec, cur, err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			e := &xmlElem{name: t.Name.Local, at: at, attrs: t.Attr, parent: cur}
			if cur != nil {
				cur.children = append(cur.children, e)
			} else if root != nil {
				return nil, at.errorf("a second root element <%s>", e.name).hint("one system a file")
			} else {
				root = e
			}
			cur = e
			if depth++; depth > maxXMLDepth {
				return nil, at.errorf("elements are nested deeper than %d", maxXMLDepth)
			}
		case xml.EndElement:
			cur = cur.parent
			depth--
		}
	}
	if root == nil {
		return nil, place{s.name, 1, 1}.errorf("no XML element").hint("the file should begin with <%s>", roots[0])
	}
	for _, r := range roots {
		if root.name == r {
			return root, nil
		}
	}
	return nil, root.at.errorf("the root element is <%s>, not <%s>", root.name, strings.Join(roots, "> or <")).meant(root.name, roots)
}

func xmlError(s source, dec *xml.Decoder, cur *xmlElem, err error) error {
	line, col := dec.InputPos()
	at := place{s.name, line, col}
	var syn *xml.SyntaxError
	what := err.Error()
	if errors.As(err, &syn) {
		what = syn.Msg
	}
	e := at.errorf("XML: %s", what)
	if cur != nil {
		_ = e.hint("inside <%s> of line %d", cur.name, cur.at.line)
	}
	return e
}

// attr returns an attribute, "" if absent.
func (e *xmlElem) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

func (e *xmlElem) errorf(format string, args ...any) *Error { return e.at.errorf(format, args...) }

// integer reads a whole-number attribute; absent gives def.
func (e *xmlElem) integer(name string, def, lo, hi int64) (int64, error) {
	v := e.attr(name)
	if v == "" {
		return def, nil
	}
	return token{v, e.at}.integer("<"+e.name+"> "+name, lo, hi)
}

// strange judges an element that is not known: close to a known name it is a
// slip, else something that a newer NCCL writes, which is noted and left out.
func (e *xmlElem) strange(notes *[]string, known ...string) error {
	if n := nearest(e.name, known); n != "" {
		return e.errorf("<%s> in <%s>", e.name, e.parent.name).hint("did you mean %s?", n)
	}
	*notes = append(*notes, e.at.String()+": <"+e.name+"> in <"+e.parent.name+">")
	return nil
}
