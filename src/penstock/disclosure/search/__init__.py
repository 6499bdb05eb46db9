"""The search for tools by their purpose."""
